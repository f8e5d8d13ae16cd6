#include "window/panels/lists/group_table.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "render/labels.h"
#include "shell/finding.h"
#include "trace/names.h"
#include "window/panels/lists/column_title.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::EventGroup;
using analysis::GroupColumn;

bool is_text_column(GroupColumn column) { return column == GroupColumn::Name || column == GroupColumn::Kind; }

double group_share(const EventGroup& group, base::Nanoseconds elapsed) {
  return static_cast<double>(group.sum_ns) / static_cast<double>(std::max<base::Nanoseconds>(1, elapsed));
}

void draw_share(const Canvas& c, const GroupColumnPlace& column, float y, double share) {
  const float s = c.scale;
  const float room = column.width - 6 * s;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {column.right - room, y + 3 * s},
      {column.right - room + room * static_cast<float>(std::min(1.0, share)), y + kGroupRow * s - 3 * s},
      with_alpha(c.theme[Colour::Accent], 0.28f), 2 * s);
}

void add_cells(const Canvas& c, const GroupTable& table, const EventGroup& line, std::string_view name, float y,
               std::vector<Label>& labels) {
  const float s = c.scale;
  const float height = kGroupRow * s;
  for (const GroupColumnPlace& column : table.columns) {
    const float x = column.x();
    const std::string says = group_cell(line, column.column, table.elapsed, table.exact ? "" : "≈");
    if (column.column == GroupColumn::Name) {
      labels.push_back(
          {x + table.name_inset * s, y, column.width - (table.name_inset + table.name_room) * s, c.theme[Colour::Text],
           FontRole::Small,
           line.example.kind == trace::EventKind::Kernel ? trace::short_kernel_name(name) : std::string(name), height});
    } else if (column.column == GroupColumn::Kind) {
      labels.push_back(
          {x + 12 * s, y, column.width - 12 * s, c.theme.as_text(Colour::Muted), FontRole::Small, says, height});
    } else {
      const bool share = column.column == GroupColumn::Share;
      if (share) draw_share(c, column, y, group_share(line, table.elapsed));
      const Colour ink = share || column.column == GroupColumn::Sum ? Colour::Text : Colour::Muted;
      labels.push_back(
          {x, y, column.width, c.theme.as_text(ink), FontRole::MonoSmall, says, height, LabelAlign::Right});
    }
  }
}

}  // namespace

std::string group_cell(const EventGroup& group, GroupColumn column, base::Nanoseconds elapsed, const char* about) {
  const analysis::DurationStats& d = group.durations;
  switch (column) {
    case GroupColumn::Count:
      return base::format_count(d.count);
    case GroupColumn::Sum:
      return base::format_duration(group.sum_ns);
    case GroupColumn::Mean:
      return base::format_duration(static_cast<base::Nanoseconds>(std::llround(d.mean_ns)));
    case GroupColumn::P50:
      return about + base::format_duration(d.p50_ns);
    case GroupColumn::P99:
      return about + base::format_duration(d.p99_ns);
    case GroupColumn::Max:
      return base::format_duration(d.max_ns);
    case GroupColumn::Min:
      return base::format_duration(d.min_ns);
    case GroupColumn::Share:
      return fmt::format("{:.1f} %", 100 * group_share(group, elapsed));
    case GroupColumn::Kind:
      return group_kind_title(group.kind);
    default:
      return {};
  }
}

void draw_group_titles(const Canvas& c, const GroupTable& table, analysis::GroupOrder& order) {
  for (const GroupColumnPlace& column : table.columns) {
    const bool on = order.by == column.column;
    const std::string id = table.id + ".by." + std::to_string(static_cast<int>(column.column));
    const float inset = column.column == GroupColumn::Kind ? 12 * c.scale : 0;
    ColumnTitle title{column.title, column.tip, {column.x(), table.area.y, column.width, kGroupRow * c.scale}, inset};
    title.align = is_text_column(column.column) ? LabelAlign::Left : LabelAlign::Right;
    if (on) title.ascending = order.ascending;
    if (draw_column_title(c, id, title)) order = {column.column, on && !order.ascending};
  }
}

void draw_group_lines(const Canvas& c, const GroupTable& table, std::span<const EventGroup> lines) {
  const float s = c.scale;
  const float height = kGroupRow * s;
  const Rect& area = table.area;
  const base::NameTable& names = c.state.model.trace().names();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::string wanted;
  std::vector<Label> labels;
  float y = area.y;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    y += height;
    const EventGroup& line = lines[i];
    const std::string_view name = names.text(line.name);
    ImGui::SetCursorScreenPos({area.x, y});
    const std::string item = table.id + ".row." + std::to_string(i);
    if (press_area(c, item.c_str(), {area.width, height})) wanted = name;
    note_control(c, item);
    if (ImGui::IsItemHovered()) {
      list.AddRectFilled({area.x - 4 * s, y}, {area.x + area.width + 4 * s, y + height}, c.theme[Colour::PanelHovered],
                         4 * s);
      ImGui::SetTooltip("%s\n%s", std::string(name).c_str(), table.tooltip(line).c_str());
    }
    table.swatch(line, area.x, y);
    add_cells(c, table, line, name, y, labels);
  }
  draw_labels(list, c.fonts, labels);
  if (!wanted.empty()) search_for(c.state, analysis::quoted_name(wanted));
}

}  // namespace lanescope::ui
