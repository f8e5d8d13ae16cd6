#include "shell/selection_actions.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "inspect/destination.h"
#include "model/details/event_facts.h"
#include "shell/action_rows.h"
#include "shell/finding.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

std::string nothing_selected(const ShellState& state) {
  return state.selection.empty() ? tr("nothing is selected") : "";
}
std::string selection_no_event(const ShellState& state) {
  return state.selection.event ? "" : tr("no event is selected");
}

void zoom_to_selection(ShellState& state) {
  const Selection& selection = state.selection;
  if (selection.event) {
    const trace::Event& e = selection.event->event;
    state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
  } else if (selection.bubble) {
    state.view.show(selection.bubble->start_ns, selection.bubble->end_ns);
  } else {
    state.view.show(selection.range->first, selection.range->second);
  }
}

void find_same(ShellState& state) {
  make_room_for_drawer(state);
  search_for(state, analysis::quoted_name(state.model.trace().names().text(state.selection.event->event.name)));
}

void copy_details(ShellState& state) {
  const std::string text = selection_text(state);
  if (text.empty()) return perform(state, Action::CopyPicture);
  copy_text(text);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  state.show_toast(tr("copied: {} lines", lines));
}

std::string range_text(const ShellState& state) {
  const auto [from, to] = *state.selection.range;
  const base::Nanoseconds origin = state.model.extent().first;
  std::string text = fmt::format("{}: {}\n{}: {}\n{}: {}\n", tr("duration"), time_in_full(to - from), tr("start"),
                                 time_in_full(from - origin), tr("end"), time_in_full(to - origin));
  const RangeFigures& figures = state.range_figures;
  if (!figures.shows(*state.selection.range)) return text;
  text += fmt::format("{}\n", figures.job.answer->summary.verdict.sentence);
  for (const analysis::EventGroup& line : figures.job.answer->events.groups) {
    text += fmt::format("{}: {} × {} = {}\n", state.model.trace().names().text(line.name),
                        base::format_count(line.durations.count),
                        base::format_duration(static_cast<base::Nanoseconds>(std::llround(line.durations.mean_ns))),
                        base::format_duration(line.sum_ns));
  }
  return text;
}

}  // namespace

void copy_text(const std::string& text) { ImGui::SetClipboardText(text.c_str()); }

std::string selection_text(const ShellState& state) {
  const Selection& selection = state.selection;
  const trace::Trace& trace = state.model.trace();
  const base::Nanoseconds origin = state.model.extent().first;
  if (selection.event) {
    return facts_text(trace, event_facts(state.model.analysis().links(), *selection.event, selection.linked, origin,
                                         state.model.facts().sm_count, &state.code.files));
  }
  if (selection.bubble) return facts_text(trace, bubble_facts(trace, *selection.bubble, origin));
  return selection.range ? range_text(state) : std::string();
}

void update_name_figures(ShellState& state) {
  const trace::Trace& trace = state.model.trace();
  std::optional<analysis::EventQuery> wanted;
  const std::optional<EventRef>& event = state.selection.event;
  if (state.name_figures.open && event) {
    wanted = {.lane_kind = trace.lane(event->lane).info().kind, .markers = true, .name = event->event.name};
  }
  state.name_figures.job.update(
      state.model.shared_trace(), wanted, base::now(),
      [](const auto& whole, const auto& query, const auto& watch) { return event_groups(whole, query, watch); });
}

std::vector<ActionInfo> selection_actions() {
  return {
      {Action::ZoomSelection,
       ActionGroup::View,
       "zoom-selection",
       N_("zoom to the selection"),
       {},
       zoom_to_selection,
       nothing_selected},
      {Action::FindSame,
       ActionGroup::Reading,
       "find-same",
       N_("find all events of the selected name"),
       {},
       find_same,
       selection_no_event},
      {Action::NameStatistics,
       ActionGroup::Reading,
       "name-statistics",
       N_("statistics of the selected name, in the whole trace"),
       {},
       [](ShellState& s) { s.name_figures.open = !s.name_figures.open; },
       selection_no_event},
      {Action::CopyDetails,
       ActionGroup::Out,
       "copy-details",
       N_("copy the selection's details; else a picture"),
       {{key::C, kCtrl}},
       copy_details},
  };
}

}  // namespace lanescope::ui
