#include "window/panels/plots/plot_rows.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/translate.h"
#include "render/labels.h"
#include "render/plot_renderer.h"
#include "render/span_renderer.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kLeastRowHeight = 22;
constexpr float kPlotGap = 6;
constexpr float kTwoLines = 26;     // the value is below the name
constexpr float kTallRow = 42;      // uses larger text
constexpr float kHeadroom = 0.06f;  // above the highest value, so that its line is not cut off
constexpr std::size_t kCountersAtFirst = 6;

// A rate of copies as small as a single number would be a latency.
constexpr std::int64_t kLeastCopied = 4096;  // bytes per iteration

bool has_data(const ShellState& state, const PlotInfo& info) {
  if (!info.kind) return true;
  const auto records = state.model.analysis().records();
  if (records.empty()) return state.model.live() && info.kind == PlotKind::IterationsPerSecond;
  // A curve of iterations needs several; those of a run are still to come.
  if (info.kind == PlotKind::IterationsPerSecond) return state.model.live() || records.size() > 2;
  // Without what was before the first iteration: the parameters are copied then.
  const analysis::RunningTotals all = records.back() - records.front();
  const std::int64_t iterations = std::max<std::int64_t>(1, records.back().number - records.front().number);
  switch (*info.kind) {
    case PlotKind::GpuBusy:
    case PlotKind::CpuWaiting:
      return all.busy_ns > 0;  // without a GPU there is nothing to be busy, and nothing to wait for
    case PlotKind::H2D:
      return all.h2d_bytes / iterations >= kLeastCopied;
    case PlotKind::D2H:
      return all.d2h_bytes / iterations >= kLeastCopied;
    case PlotKind::Loss:
      return std::isfinite(records.back().loss);
    default:
      return true;
  }
}

bool only_timing(const ShellState& state, const PlotInfo& info) {
  const Steering* steering = state.model.steering();
  return info.kind == PlotKind::Loss && steering && !steering->workload().computes_values;
}

// The plots to show: those chosen that this run or file has; of the default's only those with data.
std::vector<std::pair<PlotInfo, float>> shown_plots(const ShellState& state) {
  const bool has_iterations = has_iteration_plots(state);
  const std::vector<PlotInfo> catalogue = plot_catalogue(state.model.trace(), has_iterations);
  std::vector<std::pair<PlotInfo, float>> shown;
  for (const ChosenPlot& chosen : state.plots.view.choice.plots()) {
    const auto same = [&](const PlotInfo& info) { return info.key == chosen.key; };
    const auto info = std::find_if(catalogue.begin(), catalogue.end(), same);
    if (info == catalogue.end() || (chosen.by_default && !has_data(state, *info))) continue;
    shown.emplace_back(*info, chosen.height);
  }
  // A file without iterations has only its counters, which cannot have been chosen before.
  for (std::size_t i = 0; i < catalogue.size() && shown.size() < kCountersAtFirst && !has_iterations; ++i) {
    const auto same = [&](const auto& plot) { return plot.first.key == catalogue[i].key; };
    if (std::none_of(shown.begin(), shown.end(), same)) shown.emplace_back(catalogue[i], 1.0f);
  }
  return shown;
}

void fit_scale(const Canvas& c, PlotRow& row) {
  PlotsView& view = c.state.plots.view;
  auto [low, high] = range_of(row.columns, row.info.range);
  bool any = low != 0 || high != 0;
  if (!row.ghost.columns.empty()) {
    const auto [ghost_low, ghost_high] = range_of(row.ghost.columns, RangeOf::Means);
    if (ghost_low != 0 || ghost_high != 0) {
      low = any ? std::min(low, ghost_low) : ghost_low;
      high = any ? std::max(high, ghost_high) : ghost_high;
      any = true;
    }
  }
  row.logarithmic = view.logarithmic && row.info.can_be_logarithmic &&
                    can_be_logarithmic(static_cast<double>(low), static_cast<double>(high));
  double from = static_cast<double>(low), to = static_cast<double>(high);
  if (row.logarithmic) {
    const double least = least_positive(row.columns);
    const double ghost_least = least_positive(row.ghost.columns);
    from = least > 0 && ghost_least > 0 ? std::min(least, ghost_least) : std::max(least, ghost_least);
    if (from <= 0) from = to;
  } else {
    if (row.info.floor) from = std::min(from, static_cast<double>(*row.info.floor));
    if (row.info.ceiling) to = std::max(to, static_cast<double>(*row.info.ceiling));
    if (!row.info.floor && from > 0 && from < 0.4 * to) from = 0;  // close enough to start the scale at zero
  }
  ShownRange& range = view.ranges[row.info.key];
  const double seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  range.update(from, to, row.logarithmic, seconds, c.state.preferences.animation);
  view.moving = view.moving || range.moving();
  row.low = range.low();
  row.high = range.high();
}

void draw_names(const Canvas& c, const PlotRow& row, float left) {
  const float s = c.scale;
  const std::string value =
      only_timing(c.state, row.info) ? "" : plot_text(row.info.unit, newest_value(c.state, row.info));
  const Rect& box = row.box;
  const float x = box.x + 16 * s;
  const float width = left - x - 4 * s;
  const bool tall = box.height >= kTallRow * s;
  const bool under = box.height >= kTwoLines * s;
  // The number of digits changes: next to a name the value always gets the same space.
  const char* widest = row.info.unit == PlotUnit::Percent              ? "100 %"
                       : row.info.unit == PlotUnit::GigabytesPerSecond ? "00.00"
                                                                       : "00,000";
  const float usual = text_width(c.fonts, FontRole::MonoSmall, widest);
  const float beside =
      under || value.empty() ? 0 : std::max(usual, text_width(c.fonts, FontRole::MonoSmall, value)) + 2 * s;
  const bool whole = under && text_width(c.fonts, FontRole::Small, row.info.label) <= width;
  const bool roomy = whole && tall && text_width(c.fonts, FontRole::Body, row.info.label) <= width;
  const float line = (tall ? 19 : 13) * s;
  const float top = box.y + (under ? (box.height - 2 * line) / 2 : 0);
  const float height = under ? line : box.height;
  const Label labels[2] = {
      {x, top, width - beside, c.theme[Colour::Text], roomy ? FontRole::Body : FontRole::Small,
       whole ? row.info.label : row.info.brief, height},
      {x, top + (under ? line : 0), width, c.theme.as_text(row.info.colour),
       tall ? FontRole::Mono : FontRole::MonoSmall, value, height, under ? LabelAlign::Left : LabelAlign::Right}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
}

void draw_grid(const Canvas& c, const PlotRow& row, const TimeAxis& axis, std::vector<Label>& labels) {
  const float s = c.scale;
  const float height = row.height(s);
  const auto most = static_cast<std::size_t>(std::clamp(height / (19 * s), 1.0f, 5.0f));
  std::vector<double> ticks = plot_ticks(row.low, row.high, most + 1, row.logarithmic);
  // The bottom value needs no label if there is a tick above it.
  const bool from_bottom = ticks.size() > 1 && ticks.front() <= row.low + (row.high - row.low) * 1e-6;
  if (from_bottom) ticks.erase(ticks.begin());
  float above = 1e9f;
  for (const double tick : ticks) {
    const float y = std::round(row.y_of(tick, s));
    ImGui::GetWindowDrawList()->AddLine({axis.left_px(), y}, {axis.right_px(), y},
                                        with_alpha(c.theme[Colour::Grid], 0.8f));
    const float label_y = std::clamp(y + s, row.box.y + s, row.box.y + row.box.height - 14 * s);
    if (label_y > above - 13 * s) continue;
    above = label_y;
    const std::string text = tick_text(row.info.unit, tick);
    labels.push_back({axis.left_px() + 4 * s, label_y, 80 * s, c.theme[Colour::Dim], FontRole::MonoSmall, text, 13 * s,
                      LabelAlign::Left, with_alpha(c.theme[Colour::Row], 0.92f)});
  }
}

void draw_curve(const Canvas& c, const PlotRow& row, const TimeAxis& axis, std::span<const PlotColumn> columns,
                std::uint32_t line, std::uint32_t fill, float dash, float dash_from) {
  Plot plot;
  plot.box = {axis.left_px(), row.top(c.scale), axis.width_px(), row.height(c.scale)};
  plot.low = 0;
  plot.high = 1 + kHeadroom;
  plot.line = line;
  plot.fill = fill;
  plot.dash = dash;
  plot.dash_from = dash_from;
  plot.line_width = (dash > 0 ? 2.0f : 1.75f) * c.scale;
  plot.stepped = row.info.lane.has_value();
  plot.columns = in_scale(columns, row.low, row.high, row.logarithmic);
  add_to_draw_list(*ImGui::GetWindowDrawList(), c.plots, std::move(plot));
}

void draw_ghost(const Canvas& c, const PlotRow& row, const PlotRows& rows) {
  std::vector<PlotColumn> columns = row.ghost.columns;
  for (PlotColumn& column : columns) column.min = column.max = column.mean;
  std::vector<PlotColumn> beyond = columns;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const auto end = static_cast<std::ptrdiff_t>(row.ghost.mean_from);
  std::fill(columns.begin() + end, columns.end(), PlotColumn{kNaN, kNaN, kNaN});
  std::fill(beyond.begin(), beyond.begin() + end, PlotColumn{kNaN, kNaN, kNaN});
  const std::uint32_t pale = mix(c.theme[row.info.colour], c.theme[Colour::Text], 0.45f);
  const float from = rows.axis.to_px(rows.present_begin);
  draw_curve(c, row, rows.axis, columns, with_alpha(pale, 0.85f), 0, 8 * c.scale, from);
  draw_curve(c, row, rows.axis, beyond, with_alpha(pale, 0.55f), 0, 3 * c.scale, from);
}

// Marks the edge where a spike exceeds the scale.
void draw_cut_spikes(const Canvas& c, const PlotRow& row, const TimeAxis& axis) {
  const float y = row.box.y + c.scale;
  const float most = static_cast<float>(row.high * (1 + static_cast<double>(kHeadroom)));
  for (std::size_t x = 0; x < row.columns.size(); ++x) {
    if (!(row.columns[x].max > most)) continue;
    std::size_t end = x + 1;
    while (end < row.columns.size() && row.columns[end].max > most) ++end;
    const float left = axis.left_px() + static_cast<float>(x);
    const float right = std::max(left + 2 * c.scale, axis.left_px() + static_cast<float>(end));
    ImGui::GetWindowDrawList()->AddRectFilled({left, y}, {right, y + 2 * c.scale}, c.theme[row.info.colour]);
    x = end;
  }
}

}  // namespace

double newest_value(const ShellState& state, const PlotInfo& info) {
  if (info.lane) {
    return newest_sample(state.model.trace(), *info.lane).value_or(std::nan(""));
  }
  const auto records = state.model.analysis().records();
  return summary_value(*info.kind, state.model.recent(), records.empty() ? std::nan("") : records.back().loss);
}

float PlotRow::y_of(double value, float scale) const {
  const double part = plot_position(value, low, high, logarithmic) / (1 + static_cast<double>(kHeadroom));
  return top(scale) + height(scale) * (1 - static_cast<float>(std::clamp(part, 0.0, 1.0)));
}

void remember_choice(ShellState& state) {
  const bool as_at_first = state.plots.view.choice == PlotChoice();
  state.preferences.plots = as_at_first ? std::vector<std::string>() : state.plots.view.choice.texts();
}

std::vector<float> row_heights(const std::vector<float>& shares, float height, float least) {
  const auto fitting = static_cast<std::size_t>(std::max(0.0f, height / least));
  const std::size_t count = std::min(shares.size(), fitting);
  std::vector<float> heights(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(count));
  // Rows that would be too small get the minimum, and the others share the rest.
  std::vector<bool> small(count);
  for (bool again = true; again;) {
    again = false;
    float left = height, sum = 0;
    for (std::size_t i = 0; i < count; ++i) (small[i] ? left : sum) += small[i] ? -least : shares[i];
    for (std::size_t i = 0; i < count; ++i) {
      heights[i] = small[i] ? least : left * shares[i] / sum;
      if (small[i] || heights[i] >= least) continue;
      small[i] = true;
      again = true;
    }
  }
  return heights;
}

bool shows_plot(const ShellState& state, const std::string& key) {
  const auto shown = shown_plots(state);
  return std::any_of(shown.begin(), shown.end(), [&](const auto& plot) { return plot.first.key == key; });
}

std::size_t shown_plot_count(const ShellState& state) { return shown_plots(state).size(); }

PlotRows prepare_rows(const Canvas& c, const TimeAxis& axis, bool same_axis, const Rect& area) {
  ShellState& state = c.state;
  PlotsView& view = state.plots.view;
  const float s = c.scale;
  if (view.ranges_of != state.model.generation() || view.ranges_same_axis != same_axis) {
    view.ranges.clear();
    if (view.ranges_of != state.model.generation()) view.counters.clear();
    view.ranges_of = state.model.generation();
    view.ranges_same_axis = same_axis;
  }
  PlotRows result{axis, same_axis, {}, 0, area, 0};
  auto shown = shown_plots(state);
  result.chosen = shown.size();
  const auto fitting = static_cast<std::size_t>(std::max(0.0f, area.height / (kLeastRowHeight * s)));
  view.first = std::min(view.first, shown.size() - std::min(shown.size(), fitting));
  shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(view.first));
  std::vector<float> shares;
  for (const auto& plot : shown) shares.push_back(plot.second);
  const std::vector<float> heights = row_heights(shares, area.height, kLeastRowHeight * s);
  const analysis::LiveAnalysis& analysis = state.model.analysis();
  const std::size_t gpus = analysis.gpu_count();
  PlotKinds kinds, together, of_each;
  float y = area.y;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    PlotRow row;
    row.info = shown[i].first;
    row.box = {area.x, y, area.width, heights[i] - kPlotGap * s};
    y += heights[i];
    if (row.info.kind) {
      kinds.add(*row.info.kind);
      (gpus < 2 || shows_sum(*row.info.kind) ? together : of_each).add(*row.info.kind);
    }
    result.rows.push_back(std::move(row));
  }
  const std::uint64_t generation = state.model.generation();
  state.plots.set.prepare(analysis.records(), axis, state.model.live_edge(), {together, generation});
  std::vector<PlotSet>& of_gpus = state.plots.of_gpus;
  of_gpus.resize(gpus > 1 ? gpus : 0);
  for (std::size_t gpu = 0; gpu < of_gpus.size(); ++gpu) {
    of_gpus[gpu].prepare(analysis.records(static_cast<trace::GpuNumber>(gpu)), axis, state.model.live_edge(),
                         {of_each, generation});
  }
  result.present_begin = stretch_begin(state.model.analysis(), last_knob(state.model));
  const bool ghost = shows_ghost(state);
  if (ghost) prepare_ghost(state.plots.ghost, axis, result.present_begin, kinds);
  for (PlotRow& row : result.rows) {
    if (row.info.lane) {
      CounterPlot& counter = view.counters[row.info.key];
      counter.prepare(state.model.trace(), *row.info.lane, state.model.generation(), axis,
                      state.model.live() ? state.model.live_edge() : state.model.extent().second);
      view.moving = view.moving || counter.behind();
      row.columns = counter.columns();
    } else {
      row.columns = together.has(*row.info.kind) ? state.plots.set.columns(*row.info.kind)
                                                 : mean_columns(of_gpus, *row.info.kind);
      if (ghost) row.ghost = ghost_columns(state.plots.ghost, *row.info.kind, axis, result.present_begin);
    }
    fit_scale(c, row);
  }
  return result;
}

void draw_rows(const Canvas& c, const PlotRows& rows) {
  const float s = c.scale;
  const TimeAxis& axis = rows.axis;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (rows.rows.empty()) {
    const Label none{axis.left_px(),
                     rows.area.y,
                     axis.width_px(),
                     c.theme[Colour::Dim],
                     FontRole::Body,
                     tr("no plot is chosen: + adds one"),
                     std::min(rows.area.height, 40 * s)};
    if (rows.chosen == 0) draw_labels(list, c.fonts, {&none, 1});
    return;
  }
  static SpanBatch grounds;
  grounds.clear();
  for (const PlotRow& row : rows.rows) {
    grounds.solid(axis.left_px(), row.box.y, axis.right_px(), row.box.y + row.box.height, c.theme[Colour::Row]);
  }
  add_to_draw_list(list, c.spans, grounds);
  std::vector<Label> ticks;
  for (const PlotRow& row : rows.rows) {
    c.state.places["plot." + row.info.label] = row.box;
    draw_names(c, row, axis.left_px());
    if (only_timing(c.state, row.info)) {
      ticks.push_back(
          {axis.left_px() + 10 * s, row.box.y, axis.width_px() - 20 * s, c.theme[Colour::Dim], FontRole::Small,
           tr("timing only: this workload is too large to compute, so there is no loss to show"), row.box.height});
      continue;
    }
    list.PushClipRect({axis.left_px(), row.box.y}, {axis.right_px(), row.box.y + row.box.height}, true);
    draw_grid(c, row, axis, ticks);
    if (!row.ghost.columns.empty()) draw_ghost(c, row, rows);
    const std::uint32_t colour = c.theme[row.info.colour];
    draw_curve(c, row, axis, row.columns, colour, with_alpha(colour, 0.35f), 0, 0);
    draw_cut_spikes(c, row, axis);
    list.PopClipRect();
  }
  draw_labels(list, c.fonts, ticks);
}

}  // namespace lanescope::ui
