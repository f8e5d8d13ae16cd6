#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/gl/span_renderer.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kHistorySeconds = 60;  // of what a person saw, at the speed of now
constexpr double kLeastHistorySeconds = 4;
constexpr float kHeadingHeight = 26;
constexpr float kLeastRowHeight = 20;
constexpr float kGap = 6;

struct PlotRow {
  PlotKind kind;
  const char* label;
  const char* brief;  // where the value stands beside it
  Colour colour;
  float floor, ceiling;  // the scale covers at least this; NaN: by the values
};

std::string value_text(PlotKind kind, double value) {
  if (std::isnan(value)) return "–";
  switch (kind) {
    case PlotKind::IterationsPerSecond:
      return base::format_count(std::llround(value));
    case PlotKind::GpuBusy:
    case PlotKind::CpuWaiting:
      return fmt::format("{:.0f} %", value);
    case PlotKind::H2D:
    case PlotKind::D2H:
      return value > 0 && value < 0.1 ? fmt::format("{:.1g}", value) : fmt::format("{:.2f}", value);
    default:
      return fmt::format("{:.4f}", value);
  }
}

double newest_value(const Model& model, PlotKind kind) {
  const analysis::Summary& s = model.recent();
  const auto window = static_cast<double>(std::max<Nanoseconds>(1, s.window_ns()));
  switch (kind) {
    case PlotKind::IterationsPerSecond:
      return s.iteration.mean_ns > 0 ? 1e9 / s.iteration.mean_ns : std::nan("");
    case PlotKind::GpuBusy:
      return static_cast<double>(s.gpu_busy_ns) / window * 100;
    case PlotKind::CpuWaiting:
      return static_cast<double>(s.host_wait_ns) / window * 100;
    case PlotKind::H2D:
      return s.h2d_gb_per_s();
    case PlotKind::D2H:
      return s.d2h_gb_per_s();
    default: {
      const auto records = model.analysis().records();
      return records.empty() ? std::nan("") : records.back().loss;
    }
  }
}

// A file without iterations has nothing to plot over them.
bool has_plots(const ShellState& state) { return state.model.live() || !state.model.analysis().records().empty(); }

bool on_timeline_axis(const ShellState& state) {
  return state.plots_on_timeline_axis.value_or(!state.model.live() || state.view.mode() == ViewMode::Roll);
}

// The whole run while it is young, then the last stretch; in round steps, so that its length can be read.
TimeAxis history_axis(const ShellState& state, const TimeAxis& place) {
  const auto [begin, end] = state.model.extent();
  const double most = kHistorySeconds * state.model.speed() * 1e9;
  double span = kLeastHistorySeconds * state.model.speed() * 1e9;
  for (const double step : {1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0}) {
    if (span >= static_cast<double>(end - begin)) break;
    span = std::min(most, kLeastHistorySeconds * state.model.speed() * 1e9 * step);
  }
  return place.fitted(end - static_cast<Nanoseconds>(span), end + static_cast<Nanoseconds>(span * 0.012));
}

void draw_plot(const Canvas& c, const PlotRow& row, const TimeAxis& axis, const Rect& box) {
  const ShellState& state = c.state;
  const float s = c.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float left = axis.left_px();
  list.AddRectFilled({left, box.y}, {axis.right_px(), box.y + box.height}, c.theme[Colour::Row]);
  const bool no_loss =
      row.kind == PlotKind::Loss && state.model.live() && !state.model.session()->workload().computes_values;
  const std::string value = no_loss ? "" : value_text(row.kind, newest_value(state.model, row.kind));
  const float x = box.x + 16 * s;
  const float width = left - x - 6 * s;
  const bool tall = box.height >= 44 * s;
  const float beside = tall ? 0 : text_width(c.fonts, FontRole::Small, value) + 4 * s;
  const Label labels[2] = {
      {x, box.y + (tall ? 4 * s : 0), width - beside, c.theme[Colour::Text], tall ? FontRole::Body : FontRole::Small,
       tall ? row.label : row.brief, tall ? 18 * s : box.height},
      {x, box.y + (tall ? 23 * s : 0), width, c.theme.as_text(row.colour), tall ? FontRole::Mono : FontRole::Small,
       value, tall ? 18 * s : box.height, tall ? LabelAlign::Left : LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  if (no_loss) {
    const Label none{
        left + 10 * s,   box.y,
        600 * s,         c.theme[Colour::Dim],
        FontRole::Small, tr("timing only: this workload is too large to compute, so there is no loss to show"),
        box.height};
    draw_labels(list, c.fonts, {&none, 1});
    return;
  }
  auto [low, high] = state.plots.range(row.kind);
  if (!std::isnan(row.floor)) low = std::min(low, row.floor);
  if (!std::isnan(row.ceiling)) high = std::max(high, row.ceiling);
  if (high <= low) high = low + 1;
  Plot plot;
  plot.box = {left, box.y + 4 * s, axis.width_px(), box.height - 6 * s};
  plot.low = low;
  plot.high = low + (high - low) * 1.08f;
  plot.line = c.theme[row.colour];
  plot.fill = with_alpha(c.theme[row.colour], 0.35f);
  plot.columns = state.plots.columns(row.kind);
  add_to_draw_list(list, c.plots, std::move(plot));
}

void draw_hover(const Canvas& c, const TimeAxis& axis, const std::vector<PlotRow>& rows, float top, float bottom) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.x < axis.left_px() || mouse.x >= axis.right_px()) return;
  ImGui::GetWindowDrawList()->AddLine({mouse.x, top}, {mouse.x, bottom}, with_alpha(c.theme[Colour::Muted], 0.45f));
  const auto column = static_cast<std::size_t>(mouse.x - axis.left_px());
  const bool known = std::any_of(rows.begin(), rows.end(), [&](const PlotRow& row) {
    const auto& columns = c.state.plots.columns(row.kind);
    return column < columns.size() && !std::isnan(columns[column].mean);
  });
  if (!known) return;
  ImGui::BeginTooltip();
  for (const PlotRow& row : rows) {
    const auto& columns = c.state.plots.columns(row.kind);
    if (column >= columns.size() || std::isnan(columns[column].mean)) continue;
    text(c, FontRole::Small, Colour::Muted, row.label);
    ImGui::SameLine(110 * c.scale);
    text(c, FontRole::MonoSmall, row.colour, value_text(row.kind, static_cast<double>(columns[column].mean)));
  }
  ImGui::EndTooltip();
}

}  // namespace

float plots_least_height(const ShellState& state, float middle_height) {
  return has_plots(state) ? std::min(284 * state.scale(), middle_height * 0.42f) : 0;
}

void draw_plots(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (!has_plots(state)) return;
  const bool same_axis = on_timeline_axis(state);
  const TimeAxis axis = same_axis ? state.view.axis() : history_axis(state, state.view.axis());
  state.plots.prepare(state.model.analysis().records(), axis, state.model.live_edge());

  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<PlotRow> rows{{PlotKind::IterationsPerSecond, tr("iterations/s"), tr("iter/s"), Colour::Accent, 0, nan},
                            {PlotKind::GpuBusy, tr("GPU busy"), tr("GPU busy"), Colour::Kernel, 0, 100},
                            {PlotKind::CpuWaiting, tr("CPU waiting"), tr("CPU wait"), Colour::Wait, 0, 100},
                            {PlotKind::H2D, tr("H2D GB/s"), tr("H2D GB/s"), Colour::CopyH2D, 0, 1},
                            {PlotKind::D2H, tr("D2H GB/s"), tr("D2H GB/s"), Colour::CopyD2H, 0, 0.01f},
                            {PlotKind::Loss, tr("loss"), tr("loss"), Colour::Muted, 0, nan}};

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Label heading_label{at.x + 16 * s,    at.y,  200 * s, c.theme[Colour::Dim], FontRole::SmallBold,
                            tr("THROUGHPUT"), 20 * s};
  draw_labels(list, c.fonts, {&heading_label, 1});
  const auto span = static_cast<Nanoseconds>(axis.span_ns() / 1.012);
  const std::string says = same_axis ? std::string(tr("the timeline's axis"))
                                     : std::string(tr("the last")) + " " + base::format_duration(span);
  const float says_width = text_width(c.fonts, FontRole::Small, says) + 12 * s;
  ImGui::SetCursorScreenPos({axis.right_px() - says_width, at.y});
  if (ImGui::InvisibleButton("##axis", {says_width, 20 * s})) state.requests.push_back(Action::TogglePlotAxis);
  note_place(c, "plot_axis");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tr("click: the timeline's axis, or the history (X)"));
  const Label says_label{axis.right_px() - says_width,
                         at.y,
                         says_width - 4 * s,
                         c.theme[ImGui::IsItemHovered() ? Colour::Accent : Colour::Dim],
                         FontRole::Small,
                         says,
                         20 * s,
                         LabelAlign::Right};
  draw_labels(list, c.fonts, {&says_label, 1});

  const float rows_height = size.y - kHeadingHeight * s;
  // Where there is no room for all of them, the first ones are shown.
  const auto fitting = static_cast<std::ptrdiff_t>(std::max(0.0f, rows_height / (kLeastRowHeight * s)));
  rows.erase(rows.begin() + std::min(fitting, std::ssize(rows)), rows.end());
  const float each = rows_height / static_cast<float>(std::max<std::size_t>(1, rows.size()));
  float y = at.y + kHeadingHeight * s;
  const float top = y;
  for (const PlotRow& row : rows) {
    const Rect box{at.x, y, size.x, each - kGap * s};
    state.places[std::string("plot.") + row.label] = box;
    draw_plot(c, row, axis, box);
    y += each;
  }
  if (rows.empty()) y += std::max(0.0f, rows_height);
  // Knobs that were turned, through all plots.
  static SpanBatch marks;
  marks.clear();
  for (const trace::Event& marker : state.model.analysis().markers()) {
    if (marker.start_ns < axis.begin_ns() || marker.start_ns >= axis.end_ns()) continue;
    const float x = axis.to_px(marker.start_ns);
    for (float dash = top; dash < y - kGap * s; dash += 7 * s) {
      marks.solid(x - 0.75f * s, dash, x + 0.75f * s, dash + 4 * s, c.theme[Colour::Marker]);
    }
  }
  list.PushClipRect({axis.left_px(), at.y}, {axis.right_px(), at.y + size.y}, true);
  if (!marks.empty()) add_to_draw_list(list, c.spans, marks);
  std::vector<Label> flags;
  const auto& markers = state.model.analysis().markers();
  for (std::size_t i = 0; i < markers.size() && !same_axis;) {
    if (markers[i].start_ns < axis.begin_ns() || markers[i].start_ns >= axis.end_ns()) {
      ++i;
      continue;
    }
    const float x = axis.to_px(markers[i].start_ns);
    std::size_t last = i;
    while (last + 1 < markers.size() && axis.to_px(markers[last + 1].start_ns) < x + 150 * s) ++last;
    const auto& names = state.model.trace().names();
    const std::string name = marker_text(names.text(markers[i].name), names.text(markers[last].name));
    const float width = text_width(c.fonts, FontRole::Small, name);
    // A flag at the right edge hangs to the left of its line.
    const bool flip = x + width + 20 * s > axis.right_px() - says_width;
    flags.push_back({flip ? x - width - 10 * s : x + 8 * s, at.y + 4 * s, width + 4 * s, c.theme[Colour::Text],
                     FontRole::Small, name, 18 * s, LabelAlign::Left, c.theme[Colour::PanelRaised]});
    i = last + 1;
  }
  draw_labels(list, c.fonts, flags);
  list.PopClipRect();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsWindowHovered() && mouse.y >= top && mouse.y < y) draw_hover(c, axis, rows, top, y - kGap * s);
}

}  // namespace lanescope::ui
