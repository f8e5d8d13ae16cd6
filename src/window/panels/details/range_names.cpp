// The events of a selected range by name, in the side panel.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/finding.h"
#include "timeline/lane_row.h"
#include "trace/names.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lists/event_table.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Column = StatisticsColumn;

constexpr float kRow = 20;

struct Shape {
  Column column;
  const char* title;
  float right, width;  // numbers are right-aligned
};

std::string cell(const NameStatistics& s, Column column, const std::string& about) {
  const auto& d = s.durations;
  switch (column) {
    case Column::Count:
      return base::format_count(d.count);
    case Column::Sum:
      return base::format_duration(s.sum_ns);
    case Column::Mean:
      return base::format_duration(static_cast<Nanoseconds>(std::llround(d.mean_ns)));
    case Column::P50:
      return about + base::format_duration(d.p50_ns);
    case Column::P99:
      return about + base::format_duration(d.p99_ns);
    case Column::Max:
      return base::format_duration(d.max_ns);
    case Column::Min:
      return base::format_duration(d.min_ns);
    default:
      return {};
  }
}

Colour swatch_of(trace::LaneKind kind) {
  trace::Event event;
  event.kind = kind == trace::LaneKind::Calls     ? trace::EventKind::Call
               : kind == trace::LaneKind::Kernels ? trace::EventKind::Kernel
               : trace::is_gpu_work_lane(kind)    ? trace::EventKind::Copy
                                                  : trace::EventKind::Range;
  return event_colour(kind, event);
}

// Column titles: a click sorts by that column; the current one has an arrow.
void draw_titles(const Canvas& c, const std::vector<Shape>& shapes, float left, float y, const char* id) {
  RangeFigures& figures = c.state.range_figures;
  const float height = kRow * c.scale;
  for (const Shape& shape : shapes) {
    const bool on = figures.sorted_by == shape.column;
    const float x = shape.column == Column::Name ? left : shape.right - shape.width;
    ImGui::SetCursorScreenPos({x, y});
    const std::string name = std::string(id) + ".by." + std::to_string(static_cast<int>(shape.column));
    if (press_area(c, name.c_str(), {shape.width, height})) {
      figures.ascending = on && !figures.ascending;
      figures.sorted_by = shape.column;
    }
    note_control(c, name);
    const Colour ink = on ? Colour::Accent : ImGui::IsItemHovered() ? Colour::Text : Colour::Dim;
    const std::string says = std::string(shape.title) + (on ? (figures.ascending ? " ↑" : " ↓") : "");
    const Label label{x,
                      y,
                      shape.width,
                      c.theme.as_text(ink),
                      FontRole::SmallBold,
                      says,
                      height,
                      shape.column == Column::Name ? LabelAlign::Left : LabelAlign::Right};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
  }
}

void draw_lines(const Canvas& c, const std::vector<Shape>& shapes, const Rect& area,
                std::span<const NameStatistics> lines, const char* id) {
  const float s = c.scale;
  const float height = kRow * s;
  const auto& names = c.state.model.trace().names();
  const std::string about = c.state.range_figures.statistics.exact ? "" : "≈";
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float y = area.y;
  std::string wanted;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < lines.size(); ++i, y += height) {
    const NameStatistics& line = lines[i];
    ImGui::SetCursorScreenPos({area.x, y});
    const std::string item = std::string(id) + ".row." + std::to_string(i);
    if (press_area(c, item.c_str(), {area.width, height})) wanted = names.text(line.name);
    note_control(c, item);
    if (ImGui::IsItemHovered()) {
      list.AddRectFilled({area.x - 4 * s, y}, {area.x + area.width + 4 * s, y + height}, c.theme[Colour::PanelHovered],
                         4 * s);
      const auto& d = line.durations;
      ImGui::SetTooltip("%s\n%s", std::string(names.text(line.name)).c_str(),
                        tr("mean {}, p50 {}, p99 {}, {} to {}; click: find them", cell(line, Column::Mean, about),
                           cell(line, Column::P50, about), cell(line, Column::P99, about),
                           base::format_duration(d.min_ns), base::format_duration(d.max_ns))
                            .c_str());
    }
    for (const Shape& shape : shapes) {
      if (shape.column == Column::Name) {
        const float side = 8 * s;
        list.AddRectFilled({area.x, y + (height - side) / 2}, {area.x + side, y + (height + side) / 2},
                           c.theme[swatch_of(line.kind)], 2 * s);
        list.AddRect({area.x, y + (height - side) / 2}, {area.x + side, y + (height + side) / 2},
                     c.theme[Colour::Faint], 2 * s);
        const std::string name = line.kind == trace::LaneKind::Kernels ? trace::short_kernel_name(names.text(line.name))
                                                                       : std::string(names.text(line.name));
        labels.push_back(
            {area.x + 14 * s, y, shape.width - 14 * s, c.theme[Colour::Text], FontRole::Small, name, height});
      } else {
        labels.push_back({shape.right - shape.width, y, shape.width,
                          c.theme.as_text(shape.column == Column::Sum ? Colour::Text : Colour::Muted),
                          FontRole::MonoSmall, cell(line, shape.column, about), height, LabelAlign::Right});
      }
    }
  }
  draw_labels(list, c.fonts, labels);
  if (!wanted.empty()) search_for(c.state, quoted_name(wanted));
}

// The lines, sorted as chosen; sorted once for each new result.
const std::vector<NameStatistics>& sorted_lines(ShellState& state) {
  static std::vector<NameStatistics> lines;
  static std::tuple<std::uint64_t, std::uint64_t, Column, bool> of{};
  const RangeFigures& figures = state.range_figures;
  const std::tuple now{state.model.generation(), figures.number, figures.sorted_by, figures.ascending};
  if (of != now) {
    of = now;
    lines = figures.statistics.names;
    sort_statistics(lines, state.model.trace().names(), figures.sorted_by, figures.ascending);
  }
  return lines;
}

}  // namespace

void draw_range_names(const Canvas& c, std::size_t most) {
  const auto& lines = sorted_lines(c.state);
  if (lines.empty()) return;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float right = at.x + width;
  const float sum = text_width(c.fonts, FontRole::MonoSmall, "000.0 ms ");
  const float count = text_width(c.fonts, FontRole::MonoSmall, "000,000 ");
  const std::vector<Shape> shapes{{Column::Name, tr("NAME"), 0, width - sum - count - 4 * s},
                                  {Column::Count, tr("COUNT"), right - sum, count},
                                  {Column::Sum, tr("SUM"), right, sum}};
  draw_titles(c, shapes, at.x, at.y, "range");
  const std::size_t shown = std::min(most, lines.size());
  draw_lines(c, shapes, {at.x, at.y + kRow * s, width, 0}, std::span(lines).first(shown), "range");
  ImGui::SetCursorScreenPos({at.x, at.y + kRow * s * static_cast<float>(shown + 1) + 6 * s});
  const std::string all = tr("all {} names, all columns", lines.size());
  if (button(c, "range.all", all, c.state.drawer == DrawerTab::Statistics, width)) {
    c.state.statistics.whole = false;
    toggle_drawer(c.state, DrawerTab::Statistics);
  }
}

}  // namespace lanescope::ui
