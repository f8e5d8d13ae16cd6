// Statistics by name of the whole trace or of the selected range: filtered by kind and name, sorted by any column.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"
#include "render/span_renderer.h"
#include "shell/write_tables.h"
#include "timeline/lane_row.h"
#include "window/panels/lists/event_table.h"
#include "window/panels/lists/group_table.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

using analysis::EventGroup;
using analysis::GroupColumn;
using analysis::GroupKind;

constexpr float kStatisticsBar = 14, kStatisticsSide = 16;

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
    draw_label(c, {x, y, width, 20 * s}, c.theme.as_text(ink), on ? FontRole::SmallBold : FontRole::Small, texts[i],
               LabelAlign::Centre);
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
  draw_label(c, {right, y, width, 20 * s}, c.theme.as_text(dead ? Colour::Dim : Colour::Text), FontRole::Small, says,
             LabelAlign::Centre);
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
  const auto& job = statistics.job;
  std::vector<std::string> notes;
  if (job.busy() && (job.outdated() || !job.answer)) {
    notes = {tr("calculating … {} %", static_cast<int>(job.progress() * 100))};
  } else if (job.answer) {
    const std::string events = tr("{} events", base::format_count(job.answer->events));
    const std::string names = tr("{} lines", base::format_count(static_cast<std::int64_t>(statistics.shown.size())));
    const std::string elapsed = base::format_duration(job.answer->elapsed_ns());
    notes = {names + " · " + tr("{} events in {}", base::format_count(job.answer->events), elapsed),
             names + " · " + events, names};
  }
  draw_table_note(c, right, notes);
}

void draw_filters(const Canvas& c, const Rect& row) {
  StatisticsState& statistics = c.state.statistics;
  const float s = c.scale;
  std::vector<std::string> kinds{tr("all")};
  for (std::size_t k = 0; k < analysis::kGroupKinds; ++k) {
    kinds.emplace_back(group_kind_title(static_cast<GroupKind>(k)));
  }
  float x = row.x;
  const std::size_t now = statistics.wish.kind ? static_cast<std::size_t>(*statistics.wish.kind) + 1 : 0;
  if (const auto chosen = draw_chips(c, "statistics.kind", kinds, now, x, row.y)) {
    statistics.wish.kind.reset();
    if (*chosen > 0) statistics.wish.kind = static_cast<GroupKind>(*chosen - 1);
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
  list_field(c, "statistics.filter", tr("filter by name"), statistics.wish.name, {right - width, row.y, width, 0});
  note_control(c, "statistics.filter");
}

// As many columns as fit beside a readable name.
std::vector<GroupColumnPlace> statistics_columns_in(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  const float number = text_width(c.fonts, FontRole::MonoSmall, "≈000.0 µs") + 8 * s;
  const float kind = text_width(c.fonts, FontRole::Small, tr("API calls")) + 16 * s;
  std::vector<GroupColumnPlace> columns{
      {GroupColumn::Kind, tr("KIND"), tr("what it is"), 0, kind},
      {GroupColumn::Count, tr("COUNT"), tr("number of events"), 0, number},
      {GroupColumn::Sum, tr("TOTAL"), tr("sum of the durations"), 0, number},
      {GroupColumn::Share, tr("SHARE"),
       tr("the total, as a share of the time covered: events that run at the same time "
          "can have more than 100 % together"),
       0, text_width(c.fonts, FontRole::MonoSmall, "1000.0 %") + 8 * s},
      {GroupColumn::Mean, tr("MEAN"), tr("mean duration"), 0, number},
      {GroupColumn::P50, tr("P50"), tr("median: half of the events are shorter"), 0, number},
      {GroupColumn::P99, tr("P99"), tr("99 of 100 events are shorter"), 0, number},
      {GroupColumn::Max, tr("MAX"), tr("the longest"), 0, number}};
  const auto all = [&] {
    float width = 0;
    for (const GroupColumnPlace& column : columns) width += column.width;
    return width;
  };
  const auto drop = [&](GroupColumn which) {
    if (area.width - all() < 170 * s)
      std::erase_if(columns, [&](const GroupColumnPlace& k) { return k.column == which; });
  };
  for (const GroupColumn which : {GroupColumn::Kind, GroupColumn::P50, GroupColumn::Max, GroupColumn::P99}) drop(which);
  float right = area.x + area.width - all();
  GroupColumnPlace name{GroupColumn::Name, tr("NAME"), tr("click a name to find its events"), right, right - area.x};
  for (GroupColumnPlace& column : columns) column.right = right += column.width;
  columns.insert(columns.begin(), name);
  return columns;
}

// Hatched for waits, else in the colour that the events have on their lane.
Span swatch(const Canvas& c, const EventGroup& line, float x, float y) {
  const float side = 9 * c.scale;
  Span span{x, y, x + side, y + side};
  if (line.kind == GroupKind::Waits) {
    const bool data = trace::is_host_wait(line.example);
    span.style = SpanStyle::Hatched;
    const Hatching look = wait_hatching(c.theme, false);
    span.colour = data ? c.theme[Colour::LoaderWaitGround] : look.ground;
    span.ink = data ? c.theme[Colour::LoaderWait] : look.ink;
    return span;
  }
  const trace::LaneKind lane = c.state.model.trace().lane(line.lane).info().kind;
  trace::Event mean = line.example;
  mean.end_ns = mean.start_ns + static_cast<Nanoseconds>(std::llround(line.durations.mean_ns));
  const auto said = c.state.timeline.colours().own_paint(line.lane, mean);
  span.colour = said ? said->fill : kind_paint(c.theme, lane, line.example).fill;
  return span;
}

void draw_statistics_table(const Canvas& c, const Rect& area, std::size_t fitting) {
  StatisticsState& statistics = c.state.statistics;
  SpanBatch swatches;
  GroupTable table;
  table.id = "statistics";
  table.columns = statistics_columns_in(c, area);
  table.area = area;
  table.name_inset = 16;
  table.name_room = 4;
  table.swatch = [&](const EventGroup& line, float x, float y) {
    swatches.add(swatch(c, line, x, y + (kGroupRow - 9) * c.scale / 2));
  };
  table.tooltip = [](const EventGroup& line) {
    return tr("{} to {}; click: find them", base::format_duration(line.durations.min_ns),
              base::format_duration(line.durations.max_ns));
  };
  draw_group_titles(c, table, statistics.wish.order);
  if (!statistics.job.answer) return;
  table.elapsed = statistics.job.answer->elapsed_ns();
  table.exact = statistics.job.answer->exact;
  const auto lines = std::span<const EventGroup>(statistics.shown).subspan(statistics.top);
  draw_group_lines(c, table, lines.first(std::min(fitting, lines.size())));
  add_to_draw_list(*ImGui::GetWindowDrawList(), c.spans, swatches);
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
  const float titles = whole.y + 24 * s;
  const Rect area{whole.x, titles + kGroupRow * s, whole.width, at.y + size.y - titles - kGroupRow * s};
  ImGui::GetWindowDrawList()->AddLine({at.x, area.y - 1}, {at.x + size.x, area.y - 1}, c.theme[Colour::Line]);
  const auto fitting = static_cast<std::size_t>(std::max(0.0f, area.height / (kGroupRow * s)));
  scroll_by_wheel(area, fitting, statistics.shown.size(), statistics.top);
  draw_statistics_table(c, {area.x, titles, area.width, area.height}, fitting);
  if (statistics.shown.empty()) {
    const bool waits = statistics.job.busy() || !statistics.job.answer;
    const char* says = waits                          ? tr("calculating …")
                       : statistics.wish.name.empty() ? tr("no events of this kind")
                                                      : tr("no event of that name");
    return draw_label(c, {area.x, area.y, area.width, 36 * s}, c.theme.as_text(Colour::Muted), FontRole::Body, says);
  }
  const Rect track{area.x + area.width + 10 * s, area.y, kStatisticsBar * s, area.height};
  draw_lines_bar(c, "statistics.bar", track, fitting, statistics.shown.size(), statistics.top);
}

}  // namespace lanescope::ui
