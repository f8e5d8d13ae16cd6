// The events of a selected range by name, in the side panel.
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "shell/finding.h"
#include "timeline/lane_row.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lists/group_table.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::EventGroup;
using analysis::GroupColumn;
using base::tr;

Colour swatch_of(trace::LaneKind kind) {
  trace::Event event;
  event.kind = kind == trace::LaneKind::Calls     ? trace::EventKind::Call
               : kind == trace::LaneKind::Kernels ? trace::EventKind::Kernel
               : trace::is_gpu_work_lane(kind)    ? trace::EventKind::Copy
                                                  : trace::EventKind::Range;
  return event_colour(kind, event);
}

void draw_swatch(const Canvas& c, const EventGroup& group, float x, float y) {
  const float side = 8 * c.scale;
  const ImVec2 low{x, y + (kGroupRow * c.scale - side) / 2};
  const ImVec2 high{x + side, y + (kGroupRow * c.scale + side) / 2};
  ImGui::GetWindowDrawList()->AddRectFilled(low, high, c.theme[swatch_of(group.lane_kind)], 2 * c.scale);
  ImGui::GetWindowDrawList()->AddRect(low, high, c.theme[Colour::Faint], 2 * c.scale);
}

}  // namespace

void draw_range_names(const Canvas& c, std::size_t most) {
  RangeFigures& figures = c.state.range_figures;
  if (figures.names.empty()) return;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float right = at.x + width;
  const float sum = text_width(c.fonts, FontRole::MonoSmall, "000.0 ms ");
  const float count = text_width(c.fonts, FontRole::MonoSmall, "000,000 ");
  const float name = width - sum - count - 4 * s;
  const bool exact = figures.job.answer->events.exact;
  GroupTable table;
  table.id = "range";
  table.columns = {{GroupColumn::Name, tr("NAME"), nullptr, at.x + name, name},
                   {GroupColumn::Count, tr("COUNT"), nullptr, right - sum, count},
                   {GroupColumn::Sum, tr("SUM"), nullptr, right, sum}};
  table.area = {at.x, at.y, width, 0};
  table.name_inset = 14;
  table.swatch = [&](const EventGroup& group, float x, float y) { draw_swatch(c, group, x, y); };
  table.tooltip = [&](const EventGroup& group) {
    const auto cell = [&](GroupColumn column) { return group_cell(group, column, 1, exact ? "" : "≈"); };
    return tr("mean {}, p50 {}, p99 {}, {} to {}; click: find them", cell(GroupColumn::Mean), cell(GroupColumn::P50),
              cell(GroupColumn::P99), cell(GroupColumn::Min), cell(GroupColumn::Max));
  };
  draw_group_titles(c, table, figures.order);
  const std::size_t shown = std::min(most, figures.names.size());
  draw_group_lines(c, table, std::span(figures.names).first(shown));
  ImGui::SetCursorScreenPos({at.x, at.y + kGroupRow * s * static_cast<float>(shown + 1) + 6 * s});
  const std::string all = tr("all {} names, all columns", figures.names.size());
  if (button(c, "range.all", all, c.state.drawer == DrawerTab::Statistics, width)) {
    c.state.statistics.whole = false;
    toggle_drawer(c.state, DrawerTab::Statistics);
  }
}

}  // namespace lanescope::ui
