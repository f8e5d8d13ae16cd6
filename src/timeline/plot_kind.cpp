#include "timeline/plot_kind.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {

using analysis::CauseGroup;
using analysis::IterationRecord;

double plot_value(PlotKind kind, const IterationRecord& before, const IterationRecord& last) {
  const auto ns = static_cast<double>(last.end_ns - before.end_ns);
  // A part of an iteration says little: a burst's first moment is all kernel. What is recorded counts if it is as long
  // as an iteration.
  const auto recorded = static_cast<double>(last.recorded_since(before));
  const bool known = recorded * static_cast<double>(last.number - before.number) >= ns;
  constexpr PlotKinds kAlwaysKnown{PlotKind::IterationsPerSecond, PlotKind::IterationTime, PlotKind::CpuWaiting,
                                   PlotKind::DataWaiting,         PlotKind::Syncs,         PlotKind::Loss};
  const auto rise = [&](auto member) { return static_cast<double>(last.*member - before.*member); };
  const auto idle = [&](CauseGroup group) {
    return static_cast<double>(idle_of(last.bubble_ns, group) - idle_of(before.bubble_ns, group)) / recorded * 100;
  };
  const auto rate = [&](auto bytes, auto time) {
    const double copying = rise(time);
    return copying > 0 ? rise(bytes) / copying : 0;
  };
  if (ns <= 0 || (!known && !kAlwaysKnown.has(kind))) return std::numeric_limits<double>::quiet_NaN();
  switch (kind) {
    case PlotKind::IterationsPerSecond:
      return rise(&IterationRecord::number) / ns * 1e9;
    case PlotKind::IterationTime:
      return rise(&IterationRecord::iterations_ns) / std::max(1.0, rise(&IterationRecord::number));
    case PlotKind::GpuBusy:
      return rise(&IterationRecord::busy_ns) / recorded * 100;
    case PlotKind::CpuWaiting:
      return rise(&IterationRecord::wait_ns) / ns * 100;
    case PlotKind::DataWaiting:
      return rise(&IterationRecord::loader_wait_ns) / ns * 100;
    case PlotKind::RunAhead:
      return rise(&IterationRecord::run_ahead_ns) / recorded;
    case PlotKind::RunAheadMax:
      return static_cast<double>(last.run_ahead_max);
    case PlotKind::H2D:
      return rate(&IterationRecord::h2d_bytes, &IterationRecord::h2d_ns);
    case PlotKind::D2H:
      return rate(&IterationRecord::d2h_bytes, &IterationRecord::d2h_ns);
    case PlotKind::Syncs:
      return rise(&IterationRecord::sync_count) / std::max(1.0, rise(&IterationRecord::number));
    case PlotKind::IdleAfterSync:
      return idle(CauseGroup::AfterSync);
    case PlotKind::IdleLaunch:
      return idle(CauseGroup::Launch);
    case PlotKind::IdleCopy:
      return idle(CauseGroup::Copy);
    case PlotKind::IdleLoader:
      return idle(CauseGroup::Loader);
    case PlotKind::Loss:
      return last.loss;
  }
  return 0;
}

Extremes plot_extremes(PlotKind kind, const IterationRecord& before, const IterationRecord& last) {
  Extremes result;
  const bool of_many = last.number > before.number + 1 && last.shortest_ns > 0;
  if (kind == PlotKind::IterationTime && last.longest_ns > 0) {
    result.take(static_cast<float>(last.shortest_ns));
    result.take(static_cast<float>(last.longest_ns));
    return result;
  }
  result.take(static_cast<float>(plot_value(kind, before, last)));
  if (kind == PlotKind::IterationsPerSecond && of_many) {
    result.take(static_cast<float>(1e9 / static_cast<double>(last.shortest_ns)));
    result.take(static_cast<float>(1e9 / static_cast<double>(last.longest_ns)));
  }
  return result;
}

}  // namespace lanescope::ui
