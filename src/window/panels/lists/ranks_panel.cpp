// The table of ranks: how often each GPU arrived last, how long it waited, and why the worst one is late.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/job.h"
#include "window/panels/lists/column_title.h"
#include "window/panels/lists/event_table.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kRankRow = 20, kRankBar = 14, kSide = 16, kChip = 9, kMark = 3;
constexpr float kLeastName = 90, kMostName = 200, kBesideName = 20;
constexpr float kTabs = 28, kWhy = 18, kRankBelow = 8;

struct RankTableColumn {
  RankColumn column;
  const char* title;
  const char* tip;
  float x = 0, width = 0;
};

// Without the last ones that have no room beside the names.
std::vector<RankTableColumn> rank_columns_in(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  std::vector<RankTableColumn> columns{
      {RankColumn::Name, tr("NAME"), tr("click a name to scroll to its lanes")},
      {RankColumn::Last, tr("ARRIVED LAST"), tr("in how many collectives the others waited for this GPU")},
      {RankColumn::WaitEach, tr("WAIT EACH"),
       tr("how long this GPU waits for the last one, in a collective on average")},
      {RankColumn::Wait, tr("WAITS"), tr("how long this GPU waits for the last one, in all collectives")},
      {RankColumn::Transfer, tr("TRANSFERS"), tr("from the arrival of the last one to the end, in all collectives")},
      {RankColumn::Alone, tr("ALONE"),
       tr("communication that is not overlapped: collectives, waiting included, while no other kernel runs on this "
          "GPU")},
      {RankColumn::Busy, tr("BUSY"),
       tr("share of the time in which this GPU has a kernel or a copy; a collective that waits is one, too")},
      {RankColumn::Idle, tr("IDLE"), tr("share of the time in which this GPU has nothing to do")}};
  float all = 0;
  for (RankTableColumn& column : columns) {
    const char* widest = column.column == RankColumn::Last   ? "0.0M · 100 %"
                         : column.column >= RankColumn::Busy ? "100.0 %"
                                                             : "000.0 µs";
    column.width = std::max(text_width(c.fonts, FontRole::SmallBold, column.title + std::string(" ↓")),
                            text_width(c.fonts, FontRole::MonoSmall, widest)) +
                   12 * s;
    all += column.width;
  }
  all -= columns.front().width;
  float name = kLeastName * s;
  for (const RankLine& line : c.state.job.ranks().lines) {
    name = std::max(name, text_width(c.fonts, FontRole::Small, line.of.name) + kBesideName * s);
  }
  name = std::min(name, kMostName * s);
  while (columns.size() > 2 && area.width - all < name) {
    all -= columns.back().width;
    columns.pop_back();
  }
  // Room to spare is shared, so that figures stand near their names.
  columns.front().width = std::min(area.width - all, kMostName * s);
  const float spare = (area.width - all - columns.front().width) / static_cast<float>(columns.size() - 1);
  float x = area.x;
  for (RankTableColumn& column : columns) {
    if (column.column != RankColumn::Name) column.width += spare;
    column.x = x;
    x += column.width;
  }
  return columns;
}

// What the table covers.
void draw_note(const Canvas& c) {
  const JobState& job = c.state.job;
  const Rect header = c.state.places["drawer.header"];
  const std::string count = base::format_count(static_cast<std::int64_t>(job.collectives().all.size()));
  draw_table_note(
      c, header.x + header.width - kSide * c.scale,
      {tr("{} collectives in {}", count, base::format_duration(job.ranks().elapsed_ns)), tr("{} collectives", count)});
}

// Who arrives last most often, and why; or why nobody knows.
std::string worst_text(const JobState& job) {
  const RankTable& table = job.ranks();
  const auto worst = std::ranges::find_if(table.lines, [&](const RankLine& l) { return l.of.gpu == table.worst; });
  if (worst == table.lines.end()) return job.collectives().sentence;
  if (table.why.empty()) return tr("{} arrives last most often.", worst->of.name);
  return tr("{} arrives last most often: between two collectives {}.", worst->of.name, table.why);
}

void draw_rank_titles(const Canvas& c, const std::vector<RankTableColumn>& columns, float y) {
  RankOrder& order = c.state.ranks.order;
  for (const RankTableColumn& column : columns) {
    const bool on = order.by == column.column, name = column.column == RankColumn::Name;
    ColumnTitle title{column.title, column.tip, {column.x, y, column.width, kRankRow * c.scale}};
    if (name) title.align = LabelAlign::Left;
    if (on) title.ascending = order.ascending;
    if (draw_column_title(c, "ranks.by." + std::to_string(static_cast<int>(column.column)), title)) {
      order = {column.column, on ? !order.ascending : name};
    }
  }
}

void draw_rank_line(const Canvas& c, const std::vector<RankTableColumn>& columns, const RankLine& line,
                    const Rect& row) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool worst = state.job.ranks().worst == line.of.gpu;
  const std::uint32_t colour = gpu_colour(c.theme, line.of.gpu);
  ImGui::SetCursorScreenPos({row.x, row.y});
  const std::string id = "ranks.row." + std::to_string(line.of.gpu);
  if (press_area(c, id.c_str(), {row.width, row.height})) reveal_gpu(state, line.of.gpu);
  note_control(c, id);
  SpanBatch batch;
  const float left = row.x - 6 * s, right = row.x + row.width + 4 * s;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered || worst) {
    batch.solid(left, row.y, right, row.y + row.height,
                hovered ? c.theme[Colour::PanelHovered] : with_alpha(colour, 0.16f), 4 * s);
  }
  if (worst) batch.solid(left, row.y, left + kMark * s, row.y + row.height, colour);
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    // Over the figures, it would hide them.
    if (ImGui::GetIO().MousePos.x < columns[1].x) ImGui::SetTooltip("%s", tr("click: scroll to its lanes"));
  }
  const float chip = kChip * s, chip_y = row.y + (row.height - chip) / 2;
  batch.solid(row.x, chip_y, row.x + chip, chip_y + chip, colour, 2 * s);
  for (const RankTableColumn& column : columns) {
    const std::string says = rank_cell(line, column.column);
    if (column.column == RankColumn::Name) {
      batch.add({row.x + 16 * s, row.y, column.width - kBesideName * s, c.theme[Colour::Text], FontRole::Small, says,
                 row.height});
      continue;
    }
    const bool main = column.column == state.ranks.order.by;
    batch.add({column.x, row.y, column.width, c.theme.as_text(main ? Colour::Text : Colour::Muted), FontRole::MonoSmall,
               says, row.height, LabelAlign::Right});
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_labels(list, c.fonts, batch.labels);
}

}  // namespace

float ranks_height(const ShellState& state) {
  const auto lines = static_cast<float>(state.job.ranks().lines.size());
  return (kTabs + 2 * kWhy + (lines + 1) * kRankRow + kRankBelow) * state.scale();
}

void draw_ranks(const Canvas& c) {
  ShellState& state = c.state;
  const RankTable& table = state.job.ranks();
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  draw_note(c);
  const Rect whole{at.x + kSide * s, at.y + kTabs * s, size.x - (2 * kSide + kRankBar) * s, size.y - kTabs * s};
  ImGui::SetCursorScreenPos({whole.x, whole.y});
  {
    const TextStyle style(c, FontRole::Small, Colour::Text);
    ImGui::TextUnformatted(wrapped_lines(c, FontRole::Small, worst_text(state.job), whole.width).c_str());
  }
  note_place(c, "ranks.worst");
  const float titles = ImGui::GetItemRectMax().y + 4 * s;
  const std::vector<RankTableColumn> columns = rank_columns_in(c, whole);
  draw_rank_titles(c, columns, titles);
  const float height = kRankRow * s;
  const Rect area{whole.x, titles + height, whole.width, at.y + size.y - titles - height};
  ImGui::GetWindowDrawList()->AddLine({at.x, area.y - 1}, {at.x + size.x, area.y - 1}, c.theme[Colour::Line]);

  const std::vector<std::size_t> lines = arranged_ranks(table, state.ranks.order);
  const auto fitting = static_cast<std::size_t>(std::max(0.0f, area.height / height));
  std::size_t& top = state.ranks.top;
  scroll_by_wheel(area, fitting, lines.size(), top);
  const std::size_t end = std::min(lines.size(), top + fitting);
  for (std::size_t i = top; i < end; ++i) {
    draw_rank_line(c, columns, table.lines[lines[i]],
                   {area.x, area.y + static_cast<float>(i - top) * height, area.width, height});
  }
  const Rect track{area.x + area.width + 10 * s, area.y, kRankBar * s, area.height};
  draw_lines_bar(c, "ranks.bar", track, fitting, lines.size(), top);
}

}  // namespace lanescope::ui
