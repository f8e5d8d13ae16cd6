// The map of a job's ranks: a row for each rank, node by node, and a column for each iteration; beside it who is late.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "analysis/job_join.h"
#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/bindings.h"
#include "shell/job.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kMapSide = 20, kMapLine = 20, kMapAxis = 24, kMapHint = 24, kMapBar = 4;
constexpr float kMostLineHeight = 24, kLeastLineHeight = 2, kLeastColumnWidth = 3, kMostColumnWidth = 40;
constexpr float kNamesWidth = 150, kNameHeight = 16, kGapFrom = 6;  // lines so high have a gap between them
constexpr float kMapSwatch = 22;
constexpr double kFewestRows = 8;  // zoomed in

std::string map_value_text(MapMeasure measure, float value) {
  if (measure == MapMeasure::Idle) return fmt::format("{:.0f} %", 100 * value);
  return base::format_duration(static_cast<base::Nanoseconds>(std::llround(value)));
}

std::string map_measure_text(const JobLook& look, MapMeasure measure) {
  if (measure == MapMeasure::Idle) return tr("share of the iteration in which the rank's GPU is idle");
  if (look.map.by_duration) return tr("how much longer the iteration took than that of most ranks");
  return tr("how much longer the rank's own work took than that of most ranks");
}

// The same steps as those of durations in the legend of the lanes. Returns its left edge.
float draw_map_legend(const Canvas& c, float right, float y, MapMeasure measure, const MapScale& scale) {
  const float s = c.scale, height = 26 * s;
  const std::string from = (scale.from > 0 ? "≤ " : "") + map_value_text(measure, scale.from),
                    to = map_value_text(measure, scale.to), none = tr("not recorded");
  const auto width = [&](FontRole role, const std::string& says) { return text_width(c.fonts, role, says) + 2; };
  const float none_width = width(FontRole::Small, none), to_width = width(FontRole::MonoSmall, to),
              from_width = width(FontRole::MonoSmall, from);
  float x = right - none_width;
  SpanBatch batch;
  const auto swatch = [&](float at, std::uint32_t colour) {
    return batch.solid(at, y + 6 * s, at + kMapSwatch * s - 1, y + height - 6 * s, colour);
  };
  batch.add({x, y, none_width, c.theme.as_text(Colour::Muted), FontRole::Small, none, height});
  x -= (kMapSwatch + 8) * s;
  batch.styled(SpanStyle::Outline, x, y + 6 * s, x + kMapSwatch * s, y + height - 6 * s, c.theme[Colour::Row],
               c.theme[Colour::Faint]);
  x -= 24 * s + to_width;
  batch.add({x, y, to_width, c.theme.as_text(Colour::Muted), FontRole::MonoSmall, to, height});
  x -= 8 * s + kMapSwatch * s * kRampSteps;
  for (std::size_t i = 0; i < kRampSteps; ++i) swatch(x + kMapSwatch * s * static_cast<float>(i), c.theme.ramp[i]);
  x -= 8 * s + from_width;
  batch.add({x, y, from_width, c.theme.as_text(Colour::Muted), FontRole::MonoSmall, from, height});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, batch.labels);
  c.state.places["job_map.legend"] = {x, y, right - x, height};
  return x;
}

// How far the files have been read, or why there are none.
std::string reading_text(const JobFolder& folder) {
  if (!folder.reading()) {
    return folder.look() || folder.problems().empty() ? std::string() : folder.problems().front();
  }
  if (folder.total() == 0) return tr("Looking for recordings …");
  return folder.done() < folder.total() ? tr("{} of {} files are read; the map fills", folder.done(), folder.total())
                                        : tr("Joining the ranks …");
}

// Above the map. Returns where it ends.
float draw_map_head(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  JobMapView& view = state.job_map;
  const float s = c.scale;
  const auto& look = state.job_folder.look();
  float y = area.y + 14 * s;
  if (look) {
    ImGui::SetCursorScreenPos({area.x, y});
    const TextStyle style(c, FontRole::Body, Colour::Text);
    ImGui::TextUnformatted(wrapped_lines(c, FontRole::Body, analysis::job_text(look->report), area.width).c_str());
    note_place(c, "job_map.job");
    y = ImGui::GetItemRectMax().y + 10 * s;
  }
  if (const std::string says = reading_text(state.job_folder); !says.empty()) {
    draw_label(c, {area.x, y, area.width, kMapLine * s}, c.theme.as_text(Colour::Muted), FontRole::Small, says);
    state.places["job_map.reading"] = {area.x, y, area.width, kMapLine * s};
    const std::size_t total = state.job_folder.total();
    y += kMapLine * s;
    if (state.job_folder.reading()) {
      const float done = total > 0 ? static_cast<float>(state.job_folder.done()) / static_cast<float>(total) : 0;
      ImDrawList& list = *ImGui::GetWindowDrawList();
      list.AddRectFilled({area.x, y}, {area.x + area.width, y + kMapBar * s}, c.theme[Colour::Faint], kMapBar * s / 2);
      list.AddRectFilled({area.x, y}, {area.x + std::max(kMapBar * s, area.width * done), y + kMapBar * s},
                         c.theme[Colour::Accent], kMapBar * s / 2);
      y += (kMapBar + 8) * s;
    }
  }
  if (!look || look->map.iterations.empty()) return y;
  ImGui::SetCursorScreenPos({area.x, y});
  const int chosen = segmented(c, "job_map.by", {tr("lateness"), tr("idle time")}, static_cast<int>(view.measure));
  if (chosen >= 0) view.measure = static_cast<MapMeasure>(chosen);
  const float left = ImGui::GetItemRectMax().x + 12 * s;
  const float right =
      draw_map_legend(c, area.x + area.width, y, view.measure, view.scales[static_cast<std::size_t>(view.measure)]);
  const float room = right - left - 16 * s;
  draw_label(c, {left, y, room, 26 * s}, c.theme.as_text(Colour::Muted), FontRole::Small,
             fit_text(c.fonts, FontRole::Small, map_measure_text(*look, view.measure), room));
  return y + 26 * s + 12 * s;
}

// Where lines and columns are, on whole pixels.
struct MapPlaces {
  Rect area;
  std::size_t first = 0, count = 0, lines = 0, columns = 0;
  float line = 1, column = 1;

  float y_of(std::size_t i) const { return std::floor(area.y + static_cast<float>(i) * line); }
  float x_of(std::size_t i) const { return std::floor(area.x + static_cast<float>(i) * column); }
  // Of a row of the map: the pixels of the line that it is in.
  Rect row(std::size_t r) const {
    const std::size_t i = (r - first) * lines / count;
    return {area.x, y_of(i), area.width, y_of(i + 1) - y_of(i)};
  }
  bool shows(std::size_t r) const { return r >= first && r < first + count; }
};

double rows_in_sight(const JobMapView& view, const analysis::JobMap& map) {
  const auto all = static_cast<double>(map.rows.size());
  return view.rows > 0 ? std::clamp(view.rows, std::min(all, kFewestRows), all) : all;
}

MapPlaces places_of(const Canvas& c, const analysis::JobMap& map, const Rect& room) {
  JobMapView& view = c.state.job_map;
  const float s = c.scale;
  MapPlaces p;
  const auto all = static_cast<double>(map.rows.size());
  const double shown = rows_in_sight(view, map);
  view.first = std::clamp(view.first, 0.0, all - shown);
  p.first = static_cast<std::size_t>(view.first);
  p.count = std::min(static_cast<std::size_t>(std::ceil(shown)), map.rows.size() - p.first);
  const auto most = [](float pixels, float each) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(pixels / each));
  };
  const std::size_t most_lines = most(room.height, kLeastLineHeight * s);
  const std::size_t most_columns = most(room.width, kLeastColumnWidth * s);
  const std::array<std::size_t, 6> key{
      c.state.job_folder.version(), static_cast<std::size_t>(view.measure), p.first, p.count, most_lines, most_columns};
  const MapScale& scale = view.scales[static_cast<std::size_t>(view.measure)];
  if (key != view.drawn) {
    view.grid = map_grid(map, view.measure, scale, p.first, p.count, most_lines, most_columns);
    view.drawn = key;
  }
  p.lines = std::max<std::size_t>(1, view.grid.lines);
  p.columns = std::max<std::size_t>(1, view.grid.columns);
  p.line = std::min(room.height / static_cast<float>(p.lines), kMostLineHeight * s);
  p.column = std::min(room.width / static_cast<float>(p.columns), kMostColumnWidth * s);
  p.area = {room.x, room.y, std::floor(p.column * static_cast<float>(p.columns)),
            std::floor(p.line * static_cast<float>(p.lines))};
  return p;
}

// Cells of one colour side by side are one span, unless columns are wide enough for gaps.
void add_cells(const Canvas& c, const MapPlaces& p, SpanBatch& batch) {
  const MapGrid& grid = c.state.job_map.grid;
  const float s = c.scale;
  const float below = p.line >= kGapFrom * s ? 1 : 0, beside = below > 0 && p.column >= kGapFrom * s ? 1 : 0;
  batch.solid(p.area.x, p.area.y, p.area.x + p.area.width, p.area.y + p.area.height, c.theme[Colour::Row]);
  for (std::size_t l = 0; l < grid.lines; ++l) {
    const float y0 = p.y_of(l), y1 = p.y_of(l + 1) - below;
    for (std::size_t i = 0; i < grid.columns;) {
      const std::uint8_t step = grid.steps[l * grid.columns + i];
      std::size_t next = i + 1;
      while (beside == 0 && next < grid.columns && grid.steps[l * grid.columns + next] == step) ++next;
      if (step != MapGrid::kUnknown) batch.solid(p.x_of(i), y0, p.x_of(next) - beside, y1, c.theme.ramp[step]);
      i = next;
    }
  }
}

// Nodes, with a line between them; ranks where there is room for each.
void add_names(const Canvas& c, const JobLook& look, const MapPlaces& p, float left, SpanBatch& batch) {
  const analysis::JobReport& report = look.report;
  const std::vector<std::size_t>& rows = look.map.rows;
  const float s = c.scale, height = kNameHeight * s;
  const bool ranks = p.line >= 14 * s;
  const auto node = [&](std::size_t row) { return report.ranks[rows[row]].node; };
  float free = p.area.y;  // below the last name
  for (std::size_t row = p.first; row < p.first + p.count;) {
    std::size_t next = row + 1;
    while (next < p.first + p.count && node(next) == node(row)) ++next;
    const float y0 = p.row(row).y, y1 = p.row(next - 1).y + p.row(next - 1).height;
    const bool alone = report.nodes.size() == report.ranks.size();
    if (!alone && row > p.first && y1 - y0 >= height) {
      batch.solid(left, y0, p.area.x + p.area.width, y0 + 1, c.theme[Colour::Line]);
    }
    if (!alone && y0 >= free - 1 && y0 + height <= p.area.y + p.area.height + height) {
      batch.add({left, y0, (kNamesWidth - (ranks ? 80 : 12)) * s, c.theme.as_text(Colour::Text), FontRole::SmallBold,
                 report.nodes[node(row)].name, ranks ? p.row(row).height : height});
      free = y0 + height;
    }
    row = next;
  }
  free = p.area.y;
  for (std::size_t row = p.first; row < p.first + p.count; ++row) {
    if (!ranks && report.nodes.size() != report.ranks.size()) break;
    const Rect at = p.row(row);
    if (at.y < free - 1) continue;
    const float high = std::max(height, at.height);
    const int number = report.ranks[rows[row]].who.rank;
    batch.add({left, at.y, (kNamesWidth - 10) * s, c.theme.as_text(Colour::Muted), FontRole::Small,
               analysis::ranks_text(number, number), std::min(high, kMostLineHeight * s), LabelAlign::Right});
    free = at.y + high;
  }
}

void add_axis(const Canvas& c, const analysis::JobMap& map, const MapPlaces& p, float left, SpanBatch& batch) {
  const float s = c.scale, y = p.area.y + p.area.height, least = 72 * s;
  batch.add({left, y + 4 * s, p.area.x - left - 10 * s, c.theme.as_text(Colour::Muted), FontRole::Small,
             tr("iteration"), (kMapAxis - 4) * s, LabelAlign::Right});
  const auto place = [&](std::size_t column) { return p.x_of(column * p.columns / map.iterations.size()); };
  std::size_t step = 1;
  for (std::size_t i = 0; static_cast<float>(step) * p.column * static_cast<float>(p.columns) <
                          least * static_cast<float>(map.iterations.size());
       ++i) {
    constexpr std::array<std::size_t, 3> kTimes{2, 5, 10};
    std::size_t ten = 1;
    for (std::size_t k = 0; k < i / 3; ++k) ten *= 10;
    step = kTimes[i % 3] * ten;
  }
  // From a round number on, if there is one.
  std::size_t first = 0;
  while (first < std::min(step, map.iterations.size()) && map.iterations[first] % (step * map.together) != 0) ++first;
  if (first >= std::min(step, map.iterations.size())) first = 0;
  for (std::size_t column = first; column < map.iterations.size(); column += step) {
    const float x = place(column);
    if (x + least / 2 > p.area.x + p.area.width && column > first) break;
    batch.solid(x, y, x + 1, y + 4 * s, c.theme[Colour::Faint]);
    batch.add({x, y + 4 * s, least - 4 * s, c.theme.as_text(Colour::Muted), FontRole::MonoSmall,
               base::format_count(static_cast<std::int64_t>(map.iterations[column])), kMapAxis * s - 4 * s});
  }
}

const analysis::JobFinding* marked(const ShellState& state) {
  const auto& look = state.job_folder.look();
  const auto& which = state.job_map.pointed ? state.job_map.pointed : state.job_map.finding;
  return look && which && *which < look->report.findings.size() ? &look->report.findings[*which] : nullptr;
}

// The finding's ranks stay as they are, and have a bar on both sides; all others fade.
void add_marks(const Canvas& c, const JobLook& look, const MapPlaces& p, SpanBatch& batch) {
  const analysis::JobFinding* finding = marked(c.state);
  if (finding == nullptr) return;
  const float s = c.scale, bar = 5 * s;
  std::vector<bool> lines(p.lines, false);
  for (std::size_t row = p.first; row < p.first + p.count; ++row) {
    if (std::ranges::binary_search(finding->ranks, look.map.rows[row]))
      lines[(row - p.first) * p.lines / p.count] = true;
  }
  for (std::size_t i = 0; i < p.lines;) {
    std::size_t next = i;
    while (next < p.lines && lines[next] == lines[i]) ++next;
    const float y0 = p.y_of(i), y1 = p.y_of(next), right = p.area.x + p.area.width;
    if (lines[i]) {
      const float middle = (y0 + y1) / 2, half = std::max(y1 - y0, 5 * s) / 2;
      batch.solid(p.area.x - bar - 1, middle - half, p.area.x - 1, middle + half, c.theme[Colour::Selection]);
      batch.solid(right + 1, middle - half, right + 1 + bar, middle + half, c.theme[Colour::Selection]);
    } else {
      batch.solid(p.area.x, y0, right, y1, with_alpha(c.theme[Colour::Ground], 0.62f));
    }
    i = next;
  }
}

struct MapCellAt {
  std::size_t row = 0, column = 0;  // of the map: the highest of those that share the cell
  std::size_t ranks = 1, from = 0, to = 0;
};
MapCellAt cell_at(const Canvas& c, const analysis::JobMap& map, const MapPlaces& p, ImVec2 mouse) {
  const MapGrid& grid = c.state.job_map.grid;
  const auto place = [](float at, float each, std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(std::max(0.0f, at / each)));
  };
  const std::size_t line = place(mouse.y - p.area.y, p.line, grid.lines);
  const std::size_t column = place(mouse.x - p.area.x, p.column, grid.columns);
  MapCellAt at;
  at.row = grid.rows[line * grid.columns + column];
  const auto up = [](std::size_t i, std::size_t of, std::size_t parts) { return (i * of + parts - 1) / parts; };
  at.ranks = up(line + 1, p.count, grid.lines) - up(line, p.count, grid.lines);
  if (grid.steps[line * grid.columns + column] == MapGrid::kUnknown) at.row = p.first + up(line, p.count, grid.lines);
  at.from = up(column, map.iterations.size(), grid.columns);
  at.to = up(column + 1, map.iterations.size(), grid.columns) - 1;
  at.column = at.from;
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t i = at.from; i <= at.to; ++i) {
    const float value = map_value(map.at(map.rows[at.row], i), c.state.job_map.measure);
    if (std::isnan(value) || value <= most) continue;
    most = value;
    at.column = i;
  }
  return at;
}

std::string map_cell_text(const JobLook& look, const MapCellAt& at) {
  const analysis::JobMap& map = look.map;
  const analysis::MapCell& cell = map.at(map.rows[at.row], at.column);
  const std::uint64_t from = map.iterations[at.column];
  std::string text = analysis::rank_text(look.report, map.rows[at.row]) + " · " +
                     (map.together > 1 ? tr("iterations {} to {}, their mean", std::max<std::uint64_t>(1, from),
                                            from + map.together - 1)
                                       : tr("iteration {}", from));
  const std::size_t iterations = at.to - at.from + 1;
  if (at.ranks > 1 && iterations > 1) {
    text += '\n' + tr("the highest of {} ranks and {} iterations in this place", at.ranks, iterations);
  } else if (at.ranks > 1) {
    text += '\n' + tr("the highest of {} ranks in this place", at.ranks);
  } else if (iterations > 1) {
    text += '\n' + tr("the highest of {} iterations in this place", iterations);
  }
  const auto time = [](float ns) { return base::format_duration(static_cast<base::Nanoseconds>(std::llround(ns))); };
  if (std::isnan(cell.duration_ns)) return text + '\n' + tr("not recorded");
  if (std::isnan(cell.late_ns)) {
    text += '\n' + std::string(tr("how late it is, is not known"));
  } else if (std::abs(cell.late_ns) < 1e3f) {
    text += '\n' + std::string(tr("no later than most ranks"));
  } else if (cell.late_ns > 0) {
    text += '\n' + tr("later than most ranks by {}", time(cell.late_ns));
  } else {
    text += '\n' + tr("earlier than most ranks by {}", time(-cell.late_ns));
  }
  return text + '\n' +
         tr("took {}; its GPU was idle for {} of that, {:.0f} %", time(cell.duration_ns), time(cell.idle_ns),
            100 * map_value(cell, MapMeasure::Idle));
}

void map_tooltip(const Canvas& c, const JobLook& look, const MapCellAt& at) {
  const bool here = !look.recordings[look.map.rows[at.row]].empty();
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(460 * c.scale);
  ImGui::TextUnformatted(map_cell_text(look, at).c_str());
  text(c, FontRole::Small, Colour::Muted, here ? tr("click: open its recording") : tr("its recording is not here"));
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// A click opens, the wheel zooms into the rows, a drag moves them.
void handle_map_mouse(const Canvas& c, const JobLook& look, const MapPlaces& p) {
  JobMapView& view = c.state.job_map;
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos({p.area.x, p.area.y});
  ImGui::InvisibleButton("##map", {std::max(1.0f, p.area.width), std::max(1.0f, p.area.height)});
  own_wheel();
  note_place(c, "job_map");
  if (ImGui::IsItemActivated()) view.moved = false;
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0)) {
    view.moved = true;
    view.first -= static_cast<double>(io.MouseDelta.y / p.area.height) * rows_in_sight(view, look.map);
    return;
  }
  if (!ImGui::IsItemHovered() && !ImGui::IsItemDeactivated()) return;
  const MapCellAt at = cell_at(c, look.map, p, io.MousePos);
  if (ImGui::IsItemDeactivated() && ImGui::IsItemHovered() && !view.moved)
    return open_rank(c.state, at.row, look.map.iterations[at.column]);
  if (io.MouseDown[0] || !ImGui::IsItemHovered()) return;
  if (io.MouseWheel != 0) {
    const double where = static_cast<double>((io.MousePos.y - p.area.y) / p.area.height);
    const auto all = static_cast<double>(look.map.rows.size());
    const double before = rows_in_sight(view, look.map);
    const double after =
        std::max(std::min(all, kFewestRows), before * std::pow(1.25, -static_cast<double>(io.MouseWheel)));
    view.rows = after < all ? after : 0;
    view.first += where * (before - std::min(all, after));
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  map_tooltip(c, look, at);
}

// A row of its own, which has the ring of the keyboard's focus: Left and Right go on to another rank, Enter opens.
void handle_map_keys(const Canvas& c, const JobLook& look, const MapPlaces& p) {
  JobMapView& view = c.state.job_map;
  view.row = std::min(view.row, look.map.rows.size() - 1);
  if (const int turn = c.state.focus.take_turn("job_map.rank"); turn != 0) {
    view.row = static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(view.row) + turn, 0,
                                                                 static_cast<std::int64_t>(look.map.rows.size()) - 1));
  }
  const bool here = c.state.focus.is_at("job_map.rank");
  if (here && !p.shows(view.row)) view.first = static_cast<double>(view.row) - static_cast<double>(p.count) / 2;
  const Rect row = p.row(std::clamp(view.row, p.first, p.first + p.count - 1));
  ImGui::SetCursorScreenPos({row.x, row.y});
  // With the mouse alone, what lies below is pressed.
  if (here) {
    if (ImGui::InvisibleButton("job_map.rank", {row.width, std::max(1.0f, row.height)})) open_rank(c.state, view.row);
    const std::string name = analysis::rank_text(look.report, look.map.rows[view.row]);
    draw_label(c, {p.area.x, p.area.y + p.area.height + kMapAxis * c.scale, p.area.width, kMapHint * c.scale},
               c.theme[Colour::Text], FontRole::SmallBold, name);
  } else {
    ImGui::Dummy({row.width, std::max(1.0f, row.height)});
  }
  note_control(c, "job_map.rank", true);
}

}  // namespace

void draw_job_map(const Canvas& c) {
  ShellState& state = c.state;
  JobMapView& view = state.job_map;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const auto& look = state.job_folder.look();
  if (look && view.drawn[0] != state.job_folder.version()) {
    for (const MapMeasure measure : {MapMeasure::Lateness, MapMeasure::Idle}) {
      MapScale& scale = view.scales[static_cast<std::size_t>(measure)];
      const MapScale now = map_scale(look->map, measure);
      scale = {std::max(scale.from, now.from), std::max(scale.to, now.to)};
    }
  }
  const Rect inside{at.x + kMapSide * s, at.y, size.x - 2 * kMapSide * s, size.y};
  const float top = draw_map_head(c, inside);
  if (!look || look->map.rows.empty()) return;
  if (look->map.iterations.empty()) {
    draw_label(c, {inside.x, top, inside.width, kMapLine * s}, c.theme.as_text(Colour::Muted), FontRole::Body,
               tr("These ranks have no iterations, so there is no map of them."));
    return;
  }
  const float names = std::min(kNamesWidth * s, inside.width / 3);
  const float below = (kMapAxis + kMapHint + 8) * s;
  const Rect room{inside.x + names, top, inside.width - names - 8 * s, std::max(40 * s, at.y + size.y - top - below)};
  const MapPlaces p = places_of(c, look->map, room);
  handle_map_keys(c, *look, p);
  handle_map_mouse(c, *look, p);
  SpanBatch batch;
  add_cells(c, p, batch);
  add_names(c, *look, p, inside.x, batch);
  add_axis(c, look->map, p, inside.x, batch);
  add_marks(c, *look, p, batch);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, batch.labels);
  if (state.focus.is_at("job_map.rank")) return;
  draw_label(c, {room.x, p.area.y + p.area.height + kMapAxis * s, room.width, kMapHint * s},
             c.theme.as_text(Colour::Muted), FontRole::Small,
             tr("click: open a rank's recording · wheel: zoom into the ranks"));
}

void draw_job_findings(const Canvas& c) {
  ShellState& state = c.state;
  JobMapView& view = state.job_map;
  const float s = c.scale;
  view.pointed.reset();
  const auto& look = state.job_folder.look();
  if (!look) return;
  const analysis::JobReport& report = look->report;
  const float width = ImGui::GetContentRegionAvail().x;
  heading(c, tr("WHO IS LATE"));
  if (report.findings.empty()) text(c, FontRole::Body, Colour::Muted, tr("nobody in particular"));
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const std::string says =
        wrapped_lines(c, FontRole::Body, analysis::finding_text(report, report.findings[i]), width - 20 * s);
    const auto lines = static_cast<float>(1 + std::ranges::count(says, '\n'));
    const float pad = 10 * s, height = lines * 20 * s + 2 * pad;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "job_map.finding." + std::to_string(i);
    if (press_area(c, id.c_str(), {width, height})) {
      view.finding = view.finding == i ? std::optional<std::size_t>() : std::optional(i);
    }
    note_control(c, id);
    const bool hovered = ImGui::IsItemHovered(), on = view.finding == i;
    if (hovered) {
      view.pointed = i;
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised],
                       6 * s);
    outline(c, {at.x, at.y, width, height}, 6 * s, hovered);
    if (on) list.AddRectFilled(at, {at.x + 4 * s, at.y + height}, c.theme[Colour::Selection], 2 * s);
    std::size_t begin = 0;
    std::vector<Label> labels;
    for (float y = at.y + pad; begin <= says.size(); y += 20 * s) {
      const std::size_t end = std::min(says.find('\n', begin), says.size());
      labels.push_back(
          {at.x + pad, y, width - pad, c.theme[Colour::Text], FontRole::Body, says.substr(begin, end - begin), 20 * s});
      begin = end + 1;
    }
    draw_labels(list, c.fonts, labels);
    vertical_space(c, 8);
  }
  std::vector<std::string> remarks = analysis::remarks_of(report);
  for (const std::string& problem : state.job_folder.problems()) remarks.push_back(problem);
  const std::size_t more = state.job_folder.problem_count() - state.job_folder.problems().size();
  if (more > 0) remarks.push_back(tr("{} more files could not be read", more));
  if (!state.job_folder.reading() && !remarks.empty()) {
    heading(c, tr("WHAT TO KNOW"));
    for (const std::string& remark : remarks) {
      wrapped_text(c, FontRole::Small, Colour::Muted, remark);
      vertical_space(c, 4);
    }
  }
  if (const auto& files = state.job_folder.files(); !state.job_folder.reading() && files.size() == 1) {
    const auto here = std::ranges::count_if(look->recordings, [](const auto& path) { return !path.empty(); });
    if (here < 2) return;
    vertical_space(c, 12);
    if (button(c, "job_map.as_lanes", tr("Open all {} recordings as lanes", here), false, 0,
               tr("reads all of them: that takes its time and memory"))) {
      state.requests.files = files;
      state.requests.as_lanes = true;
    }
    vertical_space(c, 12);
  }
}

}  // namespace lanescope::ui
