// The throughput plots: what every column of pixels comes to, from the running totals of the iterations.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "analysis/live_analysis.h"
#include "ui/gl/plot_renderer.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

enum class PlotKind : std::uint8_t { IterationsPerSecond, GpuBusy, CpuWaiting, H2D, D2H, Loss };
inline constexpr std::size_t kPlotKinds = 6;

class PlotSet {
 public:
  /// Fills the columns of all plots for the axis. Its cost depends on the columns, not on the records.
  void prepare(std::span<const analysis::IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge);
  const std::vector<PlotColumn>& columns(PlotKind kind) const { return columns_[static_cast<std::size_t>(kind)]; }
  /// The range of values in view; empty columns aside. {0, 0} without any.
  std::pair<float, float> range(PlotKind kind) const;

 private:
  std::array<std::vector<PlotColumn>, kPlotKinds> columns_;
};

/// The value of one plot over the iterations after `before` up to `last`: iterations per second; GPU busy and CPU
/// waiting in percent; GB/s while copying; loss.
double plot_value(PlotKind kind, const analysis::IterationRecord& before, const analysis::IterationRecord& last);

}  // namespace lanescope::ui
