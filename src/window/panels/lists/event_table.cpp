#include "window/panels/lists/event_table.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "inspect/owner_text.h"
#include "render/labels.h"
#include "timeline/lane_row.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

struct Columns {
  float time, time_width, duration, duration_width, name, name_width, lane, lane_width;
};

Columns columns_in(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  const float gap = 16 * s;
  Columns k{};
  // Wide enough for times within an hour; longer ones extend into the margin.
  k.time = area.x + 16 * s;
  k.time_width = text_width(c.fonts, FontRole::MonoSmall, "0000.000 000 000");
  k.duration = k.time + k.time_width + gap;
  k.duration_width = std::max(text_width(c.fonts, FontRole::MonoSmall, "000.0 µs "),
                              text_width(c.fonts, FontRole::SmallBold, tr("DURATION")) + 2);
  k.name = k.duration + k.duration_width + gap;
  const float rest = area.x + area.width - 12 * s - k.name;
  k.lane_width = std::min(190 * s, rest * 0.42f);
  k.name_width = rest - k.lane_width - gap;
  k.lane = k.name + k.name_width + gap;
  return k;
}

std::string lane_text(const Canvas& c, trace::LaneId id) {
  const trace::LaneInfo& info = c.state.model.trace().lane(id).info();
  std::string text = info.name;
  if (info.kind == trace::LaneKind::Markers) return text;  // across all lanes
  if (trace::is_cpu_lane(info.kind)) {
    text += " · " + thread_text(info);
  } else {
    text += fmt::format(" · {} {}", tr("stream"), info.stream);
  }
  // Mark an event on a hidden lane: it has no place on the timeline.
  if (!c.state.timeline.lane_rect(id)) text = std::string(tr("hidden")) + " · " + text;
  return text;
}

}  // namespace

std::size_t rows_that_fit(const Canvas& c, const Rect& area) {
  const float rows = (area.height - kListHeader * c.scale) / (kListRow * c.scale);
  return static_cast<std::size_t>(std::max(0.0f, std::floor(rows)));
}

void draw_table_header(const Canvas& c, const EventTable& table, const std::string& note) {
  const Columns k = columns_in(c, table.area);
  const float height = kListHeader * c.scale;
  const float y = table.area.y;
  const std::uint32_t dim = c.theme[Colour::Dim];
  const float note_width = text_width(c.fonts, FontRole::Small, note) + 4 * c.scale;
  const float right = table.area.x + table.area.width - 12 * c.scale;
  const bool lane_fits =
      k.lane + text_width(c.fonts, FontRole::SmallBold, tr("LANE")) + note_width + 12 * c.scale < right;
  const Label labels[] = {
      {k.time, y, k.time_width, dim, FontRole::SmallBold, tr("TIME, s"), height, LabelAlign::Right},
      {k.duration, y, k.duration_width, dim, FontRole::SmallBold, tr("DURATION"), height, LabelAlign::Right},
      {k.name + 16 * c.scale, y, k.name_width - 16 * c.scale, dim, FontRole::SmallBold, tr("NAME"), height},
      {k.lane, y, lane_fits ? k.lane_width : 0, dim, FontRole::SmallBold, tr("LANE"), height},
      {right - note_width, y, note_width, c.theme[Colour::Muted], FontRole::Small, note, height, LabelAlign::Right}};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_labels(list, c.fonts, labels);
  list.AddLine({table.area.x, y + height - 1}, {table.area.x + table.area.width, y + height - 1},
               c.theme[Colour::Line]);
}

EventTableAnswer draw_table_rows(const Canvas& c, const EventTable& table, std::span<const EventRef> rows) {
  EventTableAnswer answer;
  const trace::Trace& trace = c.state.model.trace();
  const Columns k = columns_in(c, table.area);
  const float s = c.scale;
  const float height = kListRow * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float y = table.area.y + kListHeader * s;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < rows.size(); ++i, y += height) {
    const EventRef& e = rows[i];
    const std::string id = std::string(table.id) + ".row." + std::to_string(i);
    ImGui::SetCursorScreenPos({table.area.x, y});
    const bool clicked = press_area(c, id.c_str(), {table.area.width, height});
    note_control(c, id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) answer.hovered = e;
    if (clicked) answer.clicked = e;
    const bool selected = table.selected && *table.selected == e;
    const bool pointed = hovered || (table.pointed && *table.pointed == e);
    const ImVec2 low{table.area.x + 8 * s, y};
    const ImVec2 high{table.area.x + table.area.width - 4 * s, y + height};
    if (selected) {
      list.AddRectFilled(low, high, with_alpha(c.theme[Colour::Accent], 0.28f), 4 * s);
    } else if (pointed) {
      list.AddRectFilled(low, high, c.theme[Colour::PanelRaised], 4 * s);
    }
    const trace::LaneKind kind = trace.lane(e.lane).info().kind;
    const float swatch = 9 * s;
    const float swatch_y = y + (height - swatch) / 2;
    const Colour usual = event_colour(kind, e.event);
    const auto said = c.state.timeline.colours().own_paint(e.lane, e.event);
    const std::uint32_t colour = said ? said->fill : c.theme[usual];
    list.AddRectFilled({k.name, swatch_y}, {k.name + swatch, swatch_y + swatch}, colour, 2 * s);
    list.AddRect({k.name, swatch_y}, {k.name + swatch, swatch_y + swatch}, c.theme[Colour::Faint], 2 * s);
    const std::uint32_t text_colour = c.theme[Colour::Text];
    const std::uint32_t muted = c.theme.as_text(Colour::Muted);
    labels.push_back({table.area.x + 4 * s, y, k.time + k.time_width - table.area.x - 4 * s, muted, FontRole::MonoSmall,
                      full_time(e.event.start_ns - table.origin), height, LabelAlign::Right});
    labels.push_back({k.duration, y, k.duration_width, text_colour, FontRole::MonoSmall,
                      base::format_duration(e.event.duration()), height, LabelAlign::Right});
    labels.push_back({k.name + 16 * s, y, k.name_width - 16 * s, text_colour,
                      selected ? FontRole::SmallBold : FontRole::Small, event_label(trace, kind, e.event), height});
    labels.push_back({k.lane, y, k.lane_width, muted, FontRole::Small, lane_text(c, e.lane), height});
  }
  draw_labels(list, c.fonts, labels);
  return answer;
}

std::optional<double> draw_scroll_bar(const Canvas& c, const char* id, const Rect& track, double begin, double length) {
  const float s = c.scale;
  length = std::clamp(length, 0.0, 1.0);
  if (length >= 1 || track.height < 20 * s) return std::nullopt;
  static float grabbed_at = 0;  // distance from the thumb's top to the mouse
  const float least = 24 * s;
  const float thumb = std::max(least, track.height * static_cast<float>(length));
  const float room = track.height - thumb;
  const double most = std::max(1e-12, 1 - length);
  const float y = track.y + room * static_cast<float>(std::clamp(begin / most, 0.0, 1.0));
  ImGui::SetCursorScreenPos({track.x, track.y});
  ImGui::InvisibleButton(id, {track.width, track.height});
  note_place(c, id);
  const float mouse = ImGui::GetIO().MousePos.y;
  if (ImGui::IsItemActivated()) grabbed_at = mouse >= y && mouse < y + thumb ? mouse - y : thumb / 2;
  const bool lit = ImGui::IsItemActive() || ImGui::IsItemHovered();
  const float inset = 3 * s;
  ImGui::GetWindowDrawList()->AddRectFilled({track.x + inset, y}, {track.x + track.width - inset, y + thumb},
                                            c.theme[lit ? Colour::Accent : Colour::Faint], track.width);
  if (!ImGui::IsItemActive()) return std::nullopt;
  return std::clamp(static_cast<double>((mouse - grabbed_at - track.y) / std::max(1.0f, room)), 0.0, 1.0) * most;
}

int wheel_rows(const Rect& area) {
  const ImGuiIO& io = ImGui::GetIO();
  static float rest = 0;  // a trackpad scrolls by fractions of a row
  const bool over = io.MousePos.x >= area.x && io.MousePos.x < area.x + area.width && io.MousePos.y >= area.y &&
                    io.MousePos.y < area.y + area.height && ImGui::IsWindowHovered();
  if (!over || io.MouseWheel == 0) return 0;
  rest -= io.MouseWheel * 3;
  const auto rows = static_cast<int>(rest);
  rest -= static_cast<float>(rows);
  return rows;
}

void draw_table_note(const Canvas& c, float right, const std::vector<std::string>& texts) {
  const Rect header = c.state.places["drawer.header"];
  for (const std::string& says : texts) {
    const float width = text_width(c.fonts, FontRole::Small, says) + 4 * c.scale;
    if (width > right - header.x) continue;
    return draw_label(c, {right - width, header.y, width, 20 * c.scale}, c.theme.as_text(Colour::Muted),
                      FontRole::Small, says, LabelAlign::Right);
  }
}

void scroll_by_wheel(const Rect& area, std::size_t fitting, std::size_t count, std::size_t& top) {
  const auto last_top = static_cast<std::ptrdiff_t>(count - std::min(fitting, count));
  const auto wanted = std::min(static_cast<std::ptrdiff_t>(top), last_top) + wheel_rows(area);
  top = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last_top));
}

void draw_lines_bar(const Canvas& c, const char* id, const Rect& track, std::size_t fitting, std::size_t count,
                    std::size_t& top) {
  const auto n = static_cast<double>(count);
  const auto wanted = draw_scroll_bar(c, id, track, static_cast<double>(top) / n, static_cast<double>(fitting) / n);
  if (wanted) top = std::min(count - std::min(fitting, count), static_cast<std::size_t>(*wanted * n + 0.5));
}

bool list_field(const Canvas& c, const std::string& id, const char* hint, std::string& text, const Rect& place,
                Colour border, int flags) {
  const float s = c.scale;
  const TextStyle style(c, FontRole::Small, Colour::Text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * s, 5 * s));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[border]);
  ImGui::SetCursorScreenPos({place.x, place.y - 2 * s});
  ImGui::SetNextItemWidth(place.width);
  const bool changed = ImGui::InputTextWithHint(("##" + id).c_str(), hint, &text, flags);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  return changed;
}

}  // namespace lanescope::ui
