#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/plots/plot_rows.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

// Of the tooltip, in logical pixels: where its columns begin.
constexpr float kValueAt = 116, kRangeAt = 190, kGhostAt = 345;

const PlotColumn* column_at(const std::vector<PlotColumn>& columns, std::size_t x) {
  return x < columns.size() && !std::isnan(columns[x].mean) ? &columns[x] : nullptr;
}

void draw_flag(const Canvas& c, const PlotRow& row, const PlotColumn& column, float x, float right) {
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto mean = static_cast<double>(column.mean);
  const float y = row.y_of(mean, s);
  const std::uint32_t colour = c.theme[row.info.colour];
  list.AddCircleFilled({x, y}, 3.5f * s, c.theme[Colour::Ground]);
  list.AddCircleFilled({x, y}, 2.5f * s, colour);
  const std::string text = plot_text(row.info.unit, mean);
  const float width = text_width(c.fonts, FontRole::MonoSmall, text);
  const float height = 16 * s;
  const bool flip = x + width + 20 * s > right;
  // Over the curve, else under it, so that it stays in sight.
  const float bottom = row.box.y + row.box.height;
  const float over = y - height - 4 * s >= row.box.y - 2 * s ? y - height - 4 * s : y + 4 * s;
  const float at_y = std::clamp(over, row.box.y, std::max(row.box.y, bottom - height));
  const Label label{flip ? x - width - 11 * s : x + 9 * s,
                    at_y,
                    width + 2 * s,
                    c.theme.as_text(row.info.colour),
                    FontRole::MonoSmall,
                    text,
                    height,
                    LabelAlign::Left,
                    with_alpha(c.theme[Colour::PanelRaised], 0.92f)};
  draw_labels(list, c.fonts, {&label, 1});
}

void draw_tooltip(const Canvas& c, const PlotRows& rows, std::size_t column, float x) {
  const float s = c.scale;
  const ShellState& state = c.state;
  const bool any = std::any_of(rows.rows.begin(), rows.rows.end(),
                               [&](const PlotRow& row) { return column_at(row.columns, column) != nullptr; });
  if (!any) return;
  const auto says = [](const PlotRow& row, float value) {
    return plot_text(row.info.unit, static_cast<double>(value));
  };
  const auto differ = [&](const PlotRow& row) {
    const PlotColumn* here = column_at(row.columns, column);
    return here && says(row, here->min) != says(row, here->max);
  };
  const bool ranges = std::any_of(rows.rows.begin(), rows.rows.end(), differ);
  const float ghost_at = ranges ? kGhostAt : kRangeAt;
  // Its width is known before it is drawn, and is not that of the frame before, whose digits were others.
  const auto width_of = [&](const std::string& t) { return text_width(c.fonts, FontRole::MonoSmall, t); };
  float right = kValueAt * s + width_of("000.0 µs");
  if (ranges) right = std::max(right, kRangeAt * s + width_of("00,000 … 00,000"));
  for (const PlotRow& row : rows.rows) {
    const PlotColumn* here = column_at(row.columns, column);
    if (here && differ(row)) {
      right = std::max(right, kRangeAt * s + width_of(says(row, here->min) + " … " + says(row, here->max)));
    }
    if (const PlotColumn* ghost = column_at(row.ghost.columns, column)) {
      right = std::max(right, ghost_at * s + width_of(tr("ghost {}", says(row, ghost->mean))));
    }
  }
  ImGui::SetNextWindowContentSize({right - ImGui::GetStyle().WindowPadding.x, 0});
  // Over the rows and what is said above them, so that no curve is under it.
  const float middle = rows.axis.left_px() + rows.axis.width_px() / 2;
  ImGui::SetNextWindowPos({x, ImGui::GetWindowPos().y}, ImGuiCond_Always, {x < middle ? 0.0f : 1.0f, 1.0f});
  ImGui::BeginTooltip();
  const auto number = column < state.plots.set.records().size() ? state.plots.set.records()[column] : -1;
  const Nanoseconds at = rows.axis.to_ns(x) - state.model.extent().first;
  std::string when = base::format_duration(at);
  if (number >= 0 && state.model.source().own()) {  // others number theirs as they like
    const auto records = state.model.analysis().records();
    when += " · " + tr("iteration {}", base::format_count(records[static_cast<std::size_t>(number)].number - 1));
  }
  text(c, FontRole::Small, Colour::Muted, when);
  for (const PlotRow& row : rows.rows) {
    const PlotColumn* here = column_at(row.columns, column);
    if (!here) continue;
    text(c, FontRole::Small, Colour::Text, row.info.label);
    ImGui::SameLine(kValueAt * s);
    text(c, FontRole::MonoSmall, row.info.colour, says(row, here->mean));
    if (const std::string low = says(row, here->min), high = says(row, here->max); low != high) {
      ImGui::SameLine(kRangeAt * s);
      text(c, FontRole::MonoSmall, Colour::Muted, low + " … " + high);
    }
    if (const PlotColumn* ghost = column_at(row.ghost.columns, column)) {
      ImGui::SameLine(ghost_at * s);
      text(c, FontRole::MonoSmall, Colour::Muted, tr("ghost {}", says(row, ghost->mean)));
    }
  }
  ImGui::EndTooltip();
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
  for (const PlotRow& row : rows.rows) {
    if (const PlotColumn* found = column_at(row.columns, column)) draw_flag(c, row, *found, x, axis.right_px());
  }
  if (here && state.plots.view.grip.part == PlotPart::None) draw_tooltip(c, rows, column, x);
}

}  // namespace lanescope::ui
