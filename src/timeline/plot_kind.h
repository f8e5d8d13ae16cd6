// The quantities of iterations that can be plotted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "analysis/live_analysis.h"

namespace lanescope::ui {

enum class PlotKind : std::uint8_t {
  IterationsPerSecond,
  IterationTime,
  GpuBusy,
  CpuWaiting,
  DataWaiting,
  RunAhead,
  RunAheadMax,
  H2D,
  D2H,
  Syncs,
  IdleAfterSync,
  IdleLaunch,
  IdleCopy,
  IdleLoader,
  Loss,
};
inline constexpr std::size_t kPlotKinds = 15;

/// A set of kinds.
class PlotKinds {
 public:
  constexpr PlotKinds() = default;
  constexpr PlotKinds(std::initializer_list<PlotKind> kinds) {
    for (const PlotKind kind : kinds) add(kind);
  }
  static constexpr PlotKinds all() {
    PlotKinds result;
    result.bits_ = (1U << kPlotKinds) - 1;
    return result;
  }
  constexpr void add(PlotKind kind) { bits_ |= 1U << static_cast<unsigned>(kind); }
  constexpr bool has(PlotKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0; }
  constexpr bool operator==(const PlotKinds&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

/// The value over the iterations after `before` up to `last`: iterations per second; mean iteration time in
/// nanoseconds; shares of time in percent; GB/s while copying; syncs per iteration; run-ahead; loss.
double plot_value(PlotKind kind, const analysis::IterationRecord& before, const analysis::IterationRecord& last);

/// The minimum and maximum; if empty, `min` is above `max`.
struct Extremes {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();

  bool empty() const { return min > max; }
  void join(const Extremes& other) {
    if (other.min < min) min = other.min;
    if (other.max > max) max = other.max;
  }
  void take(float value) {  // ignores NaN
    if (value < min) min = value;
    if (value > max) max = value;
  }
};

/// The extremes of the individual iterations that `last` covers, as far as it has them.
Extremes plot_extremes(PlotKind kind, const analysis::IterationRecord& before, const analysis::IterationRecord& last);

}  // namespace lanescope::ui
