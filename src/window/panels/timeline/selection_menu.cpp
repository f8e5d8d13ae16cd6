// The menu on an event or a bubble: what can be done with it. Each entry is an action on the selection.
#include <imgui.h>

#include "base/translate.h"
#include "model/details/event_facts.h"
#include "render/labels.h"
#include "window/panels/timeline/lane_menu.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string link_text(const trace::Trace& trace, const Selection& selection) {
  if (!selection.linked) return tr("Go to its cause or effect");
  const std::string name = shown_name(trace, *selection.linked);
  if (trace::is_sync(selection.event->event)) return tr("Go to what it waited for: {}", name);
  return trace::is_gpu_work(selection.event->event.kind) ? tr("Go to its launch: {}", name)
                                                         : tr("Go to its GPU work: {}", name);
}

}  // namespace

bool draw_selection_menu(const Canvas& c, const LanePlace& lane) {
  ShellState& state = c.state;
  const Selection& selection = state.selection;
  const trace::Trace& trace = state.model.trace();
  const float width = kMenuWidth * c.scale;
  const std::string title = selection.event    ? shown_name(trace, *selection.event)
                            : selection.bubble ? std::string(tr("GPU idle"))
                                               : std::string(tr("Selected range"));
  text(c, FontRole::BodyBold, Colour::Text, fit_text(c.fonts, FontRole::BodyBold, title, width));
  vertical_space(c, 3);
  const auto does = [&](Action action, const std::string& says, bool possible = true) {
    const ActionInfo& row = info(action);
    const std::string keys = keys_text(row);
    const float room = width - text_width(c.fonts, FontRole::MonoSmall, keys) - 40 * c.scale;
    if (menu_item(c, row.name, fit_text(c.fonts, FontRole::Body, says, room), keys, false, possible)) {
      state.requests.actions.push_back(action);
    }
  };
  does(Action::ZoomSelection, tr("Zoom to it"));
  if (selection.event) {
    does(Action::FollowLink, link_text(trace, selection), selection.linked.has_value());
    menu_line(c);
    does(Action::FindSame, tr("Find all of this name"));
    does(Action::NameStatistics,
         state.name_figures.open ? tr("Hide the statistics of this name") : tr("Statistics of this name"));
  }
  menu_line(c);
  const bool lasts = !selection.event || selection.event->event.duration() > 0;
  does(Action::AddRuler, tr("Measure it with a ruler"), lasts);
  does(Action::PinTooltip, tr("Pin its tooltip"));
  does(Action::CopyDetails, tr("Copy its details"));
  menu_line(c);
  return menu_item(c, "lane", fit_text(c.fonts, FontRole::Body, tr("Lane: {}", lane.full_name), width - 40 * c.scale),
                   "", false, true, true);
}

}  // namespace lanescope::ui
