// Statistics by name of the whole trace or of the selected range: filtered by kind and name, sorted by any column.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/finding.h"
#include "shell/write_tables.h"
#include "timeline/lane_row.h"
#include "trace/names.h"
#include "window/panels/lists/column_title.h"
#include "window/panels/lists/event_table.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kStatisticsRow = 20, kStatisticsBar = 14, kStatisticsSide = 16;

struct NameTableColumn {
  LineColumn column;
  const char* title;
  const char* tip;
  float right = 0, width = 0;  // numbers are right-aligned
};

// Texts in a row, one of them chosen; the cursor moves to their right.
std::optional<std::size_t> draw_chips(const Canvas& c, const std::string& id, const std::vector<std::string>& texts,
                                      std::size_t chosen, float& x, float y) {
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::optional<std::size_t> clicked;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool on = i == chosen;
    const float width = text_width(c.fonts, FontRole::SmallBold, texts[i]) + 14 * s;
    ImGui::SetCursorScreenPos({x, y});
    const std::string name = id + "." + std::to_string(i);
    if (press_area(c, name.c_str(), {width, 20 * s})) clicked = i;
    note_control(c, name);
    if (on) {
      list.AddRectFilled({x, y}, {x + width, y + 20 * s}, c.theme[Colour::PanelRaised], 4 * s);
      outline(c, {x, y, width, 20 * s}, 4 * s, false);
    }
    const Colour ink = on ? Colour::Accent : ImGui::IsItemHovered() ? Colour::Text : Colour::Muted;
    const Label label{x,
                      y,
                      width,
                      c.theme.as_text(ink),
                      on ? FontRole::SmallBold : FontRole::Small,
                      texts[i],
                      20 * s,
                      LabelAlign::Centre};
    draw_labels(list, c.fonts, {&label, 1});
    x += width + 2 * s;
  }
  return clicked;
}

// A word that does something, at the right; the cursor moves to its left.
bool draw_word(const Canvas& c, const char* id, const char* says, const char* tip, float& right, float y, bool dead) {
  const float s = c.scale;
  const float width = text_width(c.fonts, FontRole::Small, says) + 14 * s;
  right -= width;
  ImGui::SetCursorScreenPos({right, y});
  const bool clicked = press_area(c, id, {width, 20 * s}) && !dead;
  note_control(c, id);
  const bool lit = ImGui::IsItemHovered() && !dead;
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({right, y}, {right + width, y + 20 * s}, c.theme[lit ? Colour::PanelHovered : Colour::PanelRaised],
                     4 * s);
  list.AddRect({right, y}, {right + width, y + 20 * s}, c.theme[Colour::Line], 4 * s);
  const Label label{right,           y,    width,  c.theme.as_text(dead ? Colour::Dim : Colour::Text),
                    FontRole::Small, says, 20 * s, LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
  right -= 6 * s;
  return clicked;
}

// What the table covers, at the right of the tabs; the longest wording that fits.
void draw_statistics_note(const Canvas& c) {
  ShellState& state = c.state;
  StatisticsState& statistics = state.statistics;
  const float s = c.scale;
  const Rect header = state.places["drawer.header"];
  float right = header.x + header.width - kStatisticsSide * s;
  if (state.selection.range) {
    const std::vector<std::string> texts{tr("whole run"), tr("range")};
    float width = 0;
    for (const std::string& text : texts) width += text_width(c.fonts, FontRole::SmallBold, text) + 16 * s;
    float x = right - width;
    if (const auto chosen = draw_chips(c, "statistics.scope", texts, statistics.whole ? 0 : 1, x, header.y)) {
      statistics.whole = *chosen == 0;
    }
    right -= width + 8 * s;
  }
  const StatisticsJob& job = statistics.job;
  std::vector<std::string> notes;
  if (job.busy() && (job.outdated() || !job.result)) {
    notes = {tr("calculating … {} %", static_cast<int>(job.progress() * 100))};
  } else if (job.result) {
    const std::string events = tr("{} events", base::format_count(job.result->events));
    const std::string names = tr("{} lines", base::format_count(static_cast<std::int64_t>(statistics.shown.size())));
    const std::string elapsed = base::format_duration(job.result->elapsed_ns());
    notes = {names + " · " + tr("{} events in {}", base::format_count(job.result->events), elapsed),
             names + " · " + events, names};
  }
  for (const std::string& note : notes) {
    const float width = text_width(c.fonts, FontRole::Small, note) + 4 * s;
    if (width > right - header.x) continue;
    const Label label{right - width,   header.y, width,  c.theme.as_text(Colour::Muted),
                      FontRole::Small, note,     20 * s, LabelAlign::Right};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&label, 1});
    break;
  }
}

void draw_filters(const Canvas& c, const Rect& row) {
  StatisticsState& statistics = c.state.statistics;
  const float s = c.scale;
  std::vector<std::string> kinds{tr("all")};
  for (std::size_t k = 0; k < kStatisticsKinds; ++k) {
    kinds.emplace_back(statistics_kind_title(static_cast<StatisticsKind>(k)));
  }
  float x = row.x;
  const std::size_t now = statistics.wish.kind ? static_cast<std::size_t>(*statistics.wish.kind) + 1 : 0;
  if (const auto chosen = draw_chips(c, "statistics.kind", kinds, now, x, row.y)) {
    statistics.wish.kind.reset();
    if (*chosen > 0) statistics.wish.kind = static_cast<StatisticsKind>(*chosen - 1);
  }
  float right = row.x + row.width;
  const bool none = statistics.shown.empty();
  if (draw_word(c, "statistics.save", tr("Save …"), tr("save these lines as CSV"), right, row.y, none)) {
    save_statistics(c.state);
  }
  if (draw_word(c, "statistics.copy", tr("Copy"), tr("copy these lines as CSV"), right, row.y, none)) {
    copy_statistics(c.state);
  }
  const float width = std::min(220 * s, right - x - 4 * s);
  if (width < 50 * s) return;
  const TextStyle style(c, FontRole::Small, Colour::Text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * s, 5 * s));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Line]);
  ImGui::SetCursorScreenPos({right - width, row.y - 2 * s});
  ImGui::SetNextItemWidth(width);
  ImGui::InputTextWithHint("##statistics.filter", tr("filter by name"), &statistics.wish.name);
  note_control(c, "statistics.filter");
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

// As many columns as fit beside a readable name.
std::vector<NameTableColumn> statistics_columns_in(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  const float number = text_width(c.fonts, FontRole::MonoSmall, "≈000.0 µs") + 8 * s;
  const float kind = text_width(c.fonts, FontRole::Small, tr("API calls")) + 16 * s;
  std::vector<NameTableColumn> columns{
      {LineColumn::Kind, tr("KIND"), tr("what it is"), 0, kind},
      {LineColumn::Count, tr("COUNT"), tr("number of events"), 0, number},
      {LineColumn::Sum, tr("TOTAL"), tr("sum of the durations"), 0, number},
      {LineColumn::Share, tr("SHARE"),
       tr("the total, as a share of the time covered: events that run at the same time "
          "can have more than 100 % together"),
       0, text_width(c.fonts, FontRole::MonoSmall, "1000.0 %") + 8 * s},
      {LineColumn::Mean, tr("MEAN"), tr("mean duration"), 0, number},
      {LineColumn::P50, tr("P50"), tr("median: half of the events are shorter"), 0, number},
      {LineColumn::P99, tr("P99"), tr("99 of 100 events are shorter"), 0, number},
      {LineColumn::Max, tr("MAX"), tr("the longest"), 0, number}};
  const auto all = [&] {
    float width = 0;
    for (const NameTableColumn& column : columns) width += column.width;
    return width;
  };
  const auto drop = [&](LineColumn which) {
    if (area.width - all() < 170 * s)
      std::erase_if(columns, [&](const NameTableColumn& k) { return k.column == which; });
  };
  for (const LineColumn which : {LineColumn::Kind, LineColumn::P50, LineColumn::Max, LineColumn::P99}) drop(which);
  float right = area.x + area.width - all();
  NameTableColumn name{LineColumn::Name, tr("NAME"), tr("click a name to find its events"), right, right - area.x};
  for (NameTableColumn& column : columns) column.right = right += column.width;
  columns.insert(columns.begin(), name);
  return columns;
}

void draw_statistics_titles(const Canvas& c, const std::vector<NameTableColumn>& columns, float y) {
  LineOrder& order = c.state.statistics.wish.order;
  const float height = kStatisticsRow * c.scale;
  for (const NameTableColumn& column : columns) {
    const bool text = column.column == LineColumn::Name || column.column == LineColumn::Kind;
    const bool on = order.by == column.column;
    const std::string id = "statistics.by." + std::to_string(static_cast<int>(column.column));
    const float inset = column.column == LineColumn::Kind ? 12 * c.scale : 0;
    ColumnTitle title{column.title, column.tip, {column.right - column.width, y, column.width, height}, inset};
    title.align = text ? LabelAlign::Left : LabelAlign::Right;
    if (on) title.ascending = order.ascending;
    if (draw_column_title(c, id, title)) order = {column.column, on && !order.ascending};
  }
}

std::string statistics_cell(const TraceStatistics& all, const StatisticsLine& line, LineColumn column) {
  const analysis::DurationStats& d = line.durations;
  const std::string about = all.exact ? "" : "≈";
  switch (column) {
    case LineColumn::Count:
      return base::format_count(d.count);
    case LineColumn::Sum:
      return base::format_duration(line.sum_ns);
    case LineColumn::Mean:
      return base::format_duration(static_cast<Nanoseconds>(std::llround(d.mean_ns)));
    case LineColumn::P50:
      return about + base::format_duration(d.p50_ns);
    case LineColumn::P99:
      return about + base::format_duration(d.p99_ns);
    case LineColumn::Max:
      return base::format_duration(d.max_ns);
    case LineColumn::Share:
      return fmt::format("{:.1f} %", 100 * static_cast<double>(line.sum_ns) /
                                         static_cast<double>(std::max<Nanoseconds>(1, all.elapsed_ns())));
    default:
      return statistics_kind_title(line.kind);
  }
}

// Hatched for waits, else in the colour that the events have on their lane.
Span swatch(const Canvas& c, const StatisticsLine& line, float x, float y) {
  const float side = 9 * c.scale;
  Span span{x, y, x + side, y + side};
  if (line.kind == StatisticsKind::Waits) {
    const bool data = trace::is_host_wait(line.example);
    span.style = SpanStyle::Hatched;
    span.colour = c.theme[data ? Colour::LoaderWaitGround : Colour::WaitGround];
    span.ink = c.theme[data ? Colour::LoaderWait : Colour::Wait];
    return span;
  }
  const trace::LaneKind lane = c.state.model.trace().lane(line.lane).info().kind;
  trace::Event mean = line.example;
  mean.end_ns = mean.start_ns + static_cast<Nanoseconds>(std::llround(line.durations.mean_ns));
  const auto said = c.state.timeline.colours().own_paint(line.lane, mean);
  const bool blocking = trace::is_blocking(line.example);
  span.colour = said ? said->fill : blocking ? c.theme[Colour::Call] : kind_paint(c.theme, lane, line.example).fill;
  return span;
}

void draw_statistics_lines(const Canvas& c, const std::vector<NameTableColumn>& columns, const Rect& area,
                           std::size_t fitting) {
  ShellState& state = c.state;
  const StatisticsState& statistics = state.statistics;
  const TraceStatistics& all = *statistics.job.result;
  const base::NameTable& names = state.model.trace().names();
  const float s = c.scale;
  const float height = kStatisticsRow * s;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::string wanted;
  std::vector<Label> labels;
  SpanBatch swatches;
  const std::size_t end = std::min(statistics.shown.size(), statistics.top + fitting);
  float y = area.y;
  for (std::size_t i = statistics.top; i < end; ++i, y += height) {
    const StatisticsLine& line = all.lines[statistics.shown[i]];
    const std::string_view name = names.text(line.name);
    ImGui::SetCursorScreenPos({area.x, y});
    const std::string item = "statistics.row." + std::to_string(i - statistics.top);
    if (press_area(c, item.c_str(), {area.width, height})) wanted = name;
    note_control(c, item);
    if (ImGui::IsItemHovered()) {
      list.AddRectFilled({area.x - 4 * s, y}, {area.x + area.width + 4 * s, y + height}, c.theme[Colour::PanelHovered],
                         4 * s);
      ImGui::SetTooltip("%s\n%s", std::string(name).c_str(),
                        tr("{} to {}; click: find them", base::format_duration(line.durations.min_ns),
                           base::format_duration(line.durations.max_ns))
                            .c_str());
    }
    for (const NameTableColumn& column : columns) {
      const float x = column.right - column.width;
      if (column.column == LineColumn::Name) {
        swatches.add(swatch(c, line, x, y + (height - 9 * s) / 2));
        const std::string says =
            line.kind == StatisticsKind::Kernels ? trace::short_kernel_name(name) : std::string(name);
        labels.push_back({x + 16 * s, y, column.width - 20 * s, c.theme[Colour::Text], FontRole::Small, says, height});
      } else if (column.column == LineColumn::Kind) {
        labels.push_back({x + 12 * s, y, column.width - 12 * s, c.theme.as_text(Colour::Muted), FontRole::Small,
                          statistics_cell(all, line, column.column), height});
      } else {
        if (column.column == LineColumn::Share) {
          const double share = std::min(
              1.0, static_cast<double>(line.sum_ns) / static_cast<double>(std::max<Nanoseconds>(1, all.elapsed_ns())));
          const float room = column.width - 6 * s;
          list.AddRectFilled({column.right - room, y + 3 * s},
                             {column.right - room + room * static_cast<float>(share), y + height - 3 * s},
                             with_alpha(c.theme[Colour::Accent], 0.28f), 2 * s);
        }
        const bool main = column.column == LineColumn::Sum || column.column == LineColumn::Share;
        labels.push_back({x, y, column.width, c.theme.as_text(main ? Colour::Text : Colour::Muted), FontRole::MonoSmall,
                          statistics_cell(all, line, column.column), height, LabelAlign::Right});
      }
    }
  }
  add_to_draw_list(list, c.spans, swatches);
  draw_labels(list, c.fonts, labels);
  if (!wanted.empty()) search_for(state, quoted_name(wanted));
}

}  // namespace

void draw_statistics(const Canvas& c) {
  ShellState& state = c.state;
  StatisticsState& statistics = state.statistics;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  update_statistics(state);
  state.in_motion = state.in_motion || statistics.job.busy();
  draw_statistics_note(c);
  const Rect whole{at.x + kStatisticsSide * s, at.y + 28 * s, size.x - (2 * kStatisticsSide + kStatisticsBar) * s,
                   size.y - 28 * s};
  draw_filters(c, {whole.x - 6 * s, whole.y, size.x - (2 * kStatisticsSide - 6) * s, 20 * s});
  const std::vector<NameTableColumn> columns = statistics_columns_in(c, whole);
  const float titles = whole.y + 24 * s;
  draw_statistics_titles(c, columns, titles);
  const Rect area{whole.x, titles + kStatisticsRow * s, whole.width, at.y + size.y - titles - kStatisticsRow * s};
  ImGui::GetWindowDrawList()->AddLine({at.x, area.y - 1}, {at.x + size.x, area.y - 1}, c.theme[Colour::Line]);
  if (!statistics.job.result || statistics.shown.empty()) {
    const bool waits = statistics.job.busy() || !statistics.job.result;
    const Label none{area.x,
                     area.y,
                     area.width,
                     c.theme.as_text(Colour::Muted),
                     FontRole::Body,
                     waits                          ? tr("calculating …")
                     : statistics.wish.name.empty() ? tr("no events of this kind")
                                                    : tr("no event of that name"),
                     36 * s};
    draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&none, 1});
    return;
  }
  const auto fitting = static_cast<std::size_t>(std::max(0.0f, area.height / (kStatisticsRow * s)));
  const std::size_t count = statistics.shown.size();
  const std::size_t last_top = count - std::min(fitting, count);
  const auto wanted = static_cast<std::ptrdiff_t>(std::min(statistics.top, last_top)) + wheel_rows(area);
  statistics.top =
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, static_cast<std::ptrdiff_t>(last_top)));
  draw_statistics_lines(c, columns, area, fitting);
  const auto n = static_cast<double>(count);
  const Rect track{area.x + area.width + 10 * s, area.y, kStatisticsBar * s, area.height};
  if (const auto to = draw_scroll_bar(c, "statistics.bar", track, static_cast<double>(statistics.top) / n,
                                      static_cast<double>(fitting) / n)) {
    statistics.top = std::min(last_top, static_cast<std::size_t>(*to * n + 0.5));
  }
}

}  // namespace lanescope::ui
