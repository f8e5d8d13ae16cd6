#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/plots/plot_rows.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

const PlotColumn* column_at(const std::vector<PlotColumn>& columns, std::size_t x) {
  return x < columns.size() && !std::isnan(columns[x].mean) ? &columns[x] : nullptr;
}

// A label beside the line at `x`, on the side where there is space.
using Part = std::pair<std::string, std::uint32_t>;
void pill(const Canvas& c, float x, float right, float y, const std::vector<Part>& parts) {
  const float s = c.scale, height = 16 * s, gap = 10 * s;
  float width = -gap;
  for (const auto& [text, colour] : parts) width += gap + text_width(c.fonts, FontRole::MonoSmall, text);
  float at = x + width + 20 * s > right ? x - width - 11 * s : x + 9 * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({at - 4 * s, y}, {at + width + 4 * s, y + height}, with_alpha(c.theme[Colour::PanelRaised], 0.92f),
                     3 * s);
  for (const auto& [text, colour] : parts) {
    const float w = text_width(c.fonts, FontRole::MonoSmall, text);
    const Label label{at, y, w + 2 * s, colour, FontRole::MonoSmall, text, height};
    draw_labels(list, c.fonts, {&label, 1});
    at += w + gap;
  }
}

// The value at the line: the mean of the pixel's column, its range if that is more than one value, and the ghost's.
void draw_flag(const Canvas& c, const PlotRow& row, std::size_t at, float x, float right) {
  const PlotColumn* column = column_at(row.columns, at);
  if (!column) return;
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto says = [&](float value) { return plot_text(row.info.unit, static_cast<double>(value)); };
  const float y = row.y_of(static_cast<double>(column->mean), s);
  list.AddCircleFilled({x, y}, 3.5f * s, c.theme[Colour::Ground]);
  list.AddCircleFilled({x, y}, 2.5f * s, c.theme[row.info.colour]);
  std::vector<Part> parts{{says(column->mean), c.theme.as_text(row.info.colour)}};
  const std::string low = says(column->min), high = says(column->max);
  if (low != high) parts.emplace_back(low + " … " + high, c.theme[Colour::Muted]);
  if (const PlotColumn* ghost = column_at(row.ghost.columns, at)) {
    parts.emplace_back(tr("ghost {}", says(ghost->mean)), c.theme[Colour::Muted]);
  }
  // Above the curve, else below it, so that it stays visible.
  const float height = 16 * s;
  const float bottom = row.box.y + row.box.height;
  const float over = y - height - 4 * s >= row.box.y - 2 * s ? y - height - 4 * s : y + 4 * s;
  pill(c, x, right, std::clamp(over, row.box.y, std::max(row.box.y, bottom - height)), parts);
}

// The instant of the line, above the plots: a tooltip would cover lanes or curves.
void draw_when(const Canvas& c, const PlotRows& rows, std::size_t column, float x) {
  const ShellState& state = c.state;
  const auto number = column < state.plots.set.records().size() ? state.plots.set.records()[column] : -1;
  std::string when = base::format_duration(rows.axis.to_ns(x) - state.model.extent().first);
  if (number >= 0 && state.model.source().own()) {  // other programs number their iterations differently
    const auto records = state.model.analysis().records();
    when += " · " + tr("iteration {}", base::format_count(records[static_cast<std::size_t>(number)].number - 1));
  }
  const float height = 16 * c.scale, y = rows.area.y - height - 2 * c.scale;
  pill(c, x, rows.axis.right_px(), y, {{when, c.theme[Colour::Text]}});
  c.state.places["plots.when"] = {x, y, 1, height};
}

}  // namespace

void draw_plot_hover(const Canvas& c, const PlotRows& rows) {
  const ShellState& state = c.state;
  if (rows.rows.empty() || state.plots.view.menu_open) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimeAxis& axis = rows.axis;
  const bool here = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && mouse.y >= rows.area.y &&
                    mouse.y < rows.area.y + rows.area.height && mouse.x >= axis.left_px() && mouse.x < axis.right_px();
  float x = mouse.x;
  if (!here) {
    if (!rows.same_axis || !state.pointed.at) return;
    x = axis.to_px(*state.pointed.at);
    if (x < axis.left_px() || x >= axis.right_px()) return;
  }
  const float bottom = rows.rows.back().box.y + rows.rows.back().box.height;
  ImGui::GetWindowDrawList()->AddLine({x, rows.area.y}, {x, bottom}, with_alpha(c.theme[Colour::Muted], 0.45f));
  const auto column = static_cast<std::size_t>(x - axis.left_px());
  for (const PlotRow& row : rows.rows) draw_flag(c, row, column, x, axis.right_px());
  if (here && state.plots.view.grip.part == PlotPart::None) draw_when(c, rows, column, x);
}

}  // namespace lanescope::ui
