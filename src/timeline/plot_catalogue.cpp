#include "timeline/plot_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/figure.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::ui {

using base::tr;

std::vector<PlotInfo> plot_catalogue(const trace::Trace& trace, bool has_iterations) {
  using enum PlotKind;
  std::vector<PlotInfo> all;
  const auto add = [&](const char* key, PlotKind kind, PlotGroup group, const char* label, const char* brief,
                       Colour colour, PlotUnit unit, std::optional<float> ceiling, RangeOf range) {
    const bool may = unit != PlotUnit::Percent;
    all.push_back({key, kind, std::nullopt, group, label, brief, colour, unit, 0.0f, ceiling, range, may});
  };
  const auto full = std::optional(100.0f);
  const auto none = std::optional<float>();
  if (has_iterations) {
    add("rate", IterationsPerSecond, PlotGroup::Pace, tr("CPU's iterations/s"), tr("CPU iter/s"), Colour::Accent,
        PlotUnit::Count, none, RangeOf::Means);
    add("time", IterationTime, PlotGroup::Pace, tr("CPU's iteration"), tr("CPU iter"), Colour::Accent,
        PlotUnit::Duration, none, RangeOf::Extremes);
    add("gpu-busy", GpuBusy, PlotGroup::Pace, tr("GPU busy"), tr("GPU busy"), Colour::Kernel, PlotUnit::Percent, full,
        RangeOf::Means);
    add("run-ahead", RunAhead, PlotGroup::Pace, tr("run-ahead"), tr("run-ahead"), Colour::Launch, PlotUnit::Count, none,
        RangeOf::Means);
    add("run-ahead-max", RunAheadMax, PlotGroup::Pace, tr("run-ahead max"), tr("run max"), Colour::Launch,
        PlotUnit::Count, none, RangeOf::Extremes);
    add("cpu-waiting", CpuWaiting, PlotGroup::Waiting, tr("CPU waiting"), tr("CPU wait"), Colour::Muted,
        PlotUnit::Percent, full, RangeOf::Means);
    add("data-waiting", DataWaiting, PlotGroup::Waiting, tr("waiting for data"), tr("data wait"), Colour::LoaderWait,
        PlotUnit::Percent, full, RangeOf::Means);
    add("syncs", Syncs, PlotGroup::Waiting, tr("syncs/iteration"), tr("syncs/it"), Colour::Muted, PlotUnit::Count, 1.0f,
        RangeOf::Means);
    add("idle-sync", IdleAfterSync, PlotGroup::Idle, tr("idle after sync"), tr("idle sync"), Colour::Bubble,
        PlotUnit::Percent, full, RangeOf::Means);
    add("idle-launch", IdleLaunch, PlotGroup::Idle, tr("idle: launch"), tr("idle lnch"), Colour::Bubble,
        PlotUnit::Percent, full, RangeOf::Means);
    add("idle-copy", IdleCopy, PlotGroup::Idle, tr("idle: copy"), tr("idle copy"), Colour::Bubble, PlotUnit::Percent,
        full, RangeOf::Means);
    add("idle-loader", IdleLoader, PlotGroup::Idle, tr("idle: loader"), tr("idle load"), Colour::Bubble,
        PlotUnit::Percent, full, RangeOf::Means);
    add("h2d", H2D, PlotGroup::Copies, tr("H2D GB/s"), tr("H2D"), Colour::CopyH2D, PlotUnit::GigabytesPerSecond, 1.0f,
        RangeOf::Means);
    add("d2h", D2H, PlotGroup::Copies, tr("D2H GB/s"), tr("D2H"), Colour::CopyD2H, PlotUnit::GigabytesPerSecond, 0.01f,
        RangeOf::Means);
    add("loss", Loss, PlotGroup::Values, tr("loss"), tr("loss"), Colour::Muted, PlotUnit::Plain, none,
        RangeOf::Extremes);
  }
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto id = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& lane = trace.lane(id).info();
    if (lane.kind != trace::LaneKind::Counter || (has_iterations && lane.role == trace::LaneRole::Loss)) continue;
    std::string key = "counter " + lane.name;
    const auto same = [&](const PlotInfo& info) { return info.key == key; };
    for (int n = 2; std::any_of(all.begin(), all.end(), same); ++n) key = fmt::format("counter {} {}", lane.name, n);
    all.push_back(
        {key, std::nullopt, id, PlotGroup::Values, key.substr(8), key.substr(8), Colour::Accent, PlotUnit::Plain});
  }
  return all;
}

const char* group_title(PlotGroup group) {
  switch (group) {
    case PlotGroup::Pace:
      return tr("PACE");
    case PlotGroup::Waiting:
      return tr("WAITING");
    case PlotGroup::Idle:
      return tr("GPU IDLE, BY CAUSE");
    case PlotGroup::Copies:
      return tr("COPY RATES, WHILE COPYING");
    default:
      return tr("VALUES");
  }
}

std::string plot_text(PlotUnit unit, double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  switch (unit) {
    case PlotUnit::Count:
      return size < 10 && value != std::round(value) ? fmt::format("{:.2f}", value)
                                                     : base::format_count(std::llround(std::clamp(value, -9e18, 9e18)));
    case PlotUnit::Duration:
      return base::format_duration(std::llround(std::clamp(value, -9e18, 9e18)));
    case PlotUnit::Percent:
      return fmt::format("{:.0f} %", value);
    case PlotUnit::GigabytesPerSecond:
      return value > 0 && value < 0.1 ? fmt::format("{:.1g}", value) : fmt::format("{:.2f}", value);
    case PlotUnit::Plain:
      break;
  }
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return fmt::format("{:.3g}", value);
  if (size >= 10'000) return base::format_count(std::llround(value));
  return fmt::format("{:.{}f}", value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

std::string tick_text(PlotUnit unit, double value) {
  const double size = std::abs(value);
  if (unit == PlotUnit::Duration) return base::format_duration(std::llround(std::clamp(value, -9e18, 9e18)));
  if (unit == PlotUnit::Percent) return fmt::format("{:g} %", value);
  if (size >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (size >= 10'000) return fmt::format("{:g}k", value / 1e3);
  if (size >= 1000 && value == std::round(value)) return base::format_count(std::llround(value));
  return fmt::format("{:.4g}", size < 1e-12 ? 0 : value);
}

namespace {

std::string_view figure_of(PlotKind kind) {
  switch (kind) {
    case PlotKind::GpuBusy:
      return "gpu_busy_ns";
    case PlotKind::CpuWaiting:
      return "host_wait_ns";
    case PlotKind::DataWaiting:
      return "loader_wait_ns";
    case PlotKind::RunAhead:
      return "run_ahead.mean";
    case PlotKind::RunAheadMax:
      return "run_ahead.max";
    case PlotKind::H2D:
      return "h2d_gb_per_s";
    case PlotKind::D2H:
      return "d2h_gb_per_s";
    case PlotKind::Syncs:
      return "sync_count";
    case PlotKind::IdleAfterSync:
      return "bubbles_by_cause.after_sync";
    case PlotKind::IdleLaunch:
      return "bubbles_by_cause.launch_too_slow";
    case PlotKind::IdleCopy:
      return "bubbles_by_cause.copy";
    case PlotKind::IdleLoader:
      return "bubbles_by_cause.loader";
    case PlotKind::IterationsPerSecond:
    case PlotKind::IterationTime:
    case PlotKind::Loss:
      break;
  }
  return {};
}

}  // namespace

double summary_value(PlotKind kind, const analysis::Summary& s, double loss) {
  const double nothing = std::nan("");
  if (kind == PlotKind::Loss) return loss;
  // A column of these plots describes the CPU's loop; over a stretch, whole periods give the time per iteration.
  if (kind == PlotKind::IterationTime) return s.pace.known() ? s.pace.ns : nothing;
  if (kind == PlotKind::IterationsPerSecond) return s.pace.known() ? 1e9 / s.pace.ns : nothing;
  const analysis::Figure& figure = analysis::figure(figure_of(kind));
  const bool of_time = figure.unit == analysis::FigureUnit::Time;
  const auto form = of_time ? analysis::FigureForm::Share : figure.usual;
  return value_of(figure, s, form).value_or(nothing) * (of_time ? 100 : 1);
}

}  // namespace lanescope::ui
