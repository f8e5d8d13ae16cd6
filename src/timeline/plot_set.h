// The plots over the iterations: computes each column of pixels from running totals.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "timeline/plot.h"
#include "timeline/plot_extremes.h"
#include "timeline/time_axis.h"

namespace lanescope::ui {

/// What to prepare.
struct PlotsWanted {
  PlotKinds kinds = PlotKinds::all();
  std::uint64_t generation = 0;  ///< a new value means different records

  bool operator==(const PlotsWanted&) const = default;
};

enum class RangeOf : std::uint8_t { Means, Extremes };

class PlotSet {
 public:
  /// Fills the columns of the wanted plots for the axis, and clears the others. The minimum and maximum of every column
  /// are exact. Cost depends on the columns, plus once per new record; nothing if nothing has changed.
  void prepare(std::span<const analysis::IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge,
               const PlotsWanted& wanted = {});
  const std::vector<PlotColumn>& columns(PlotKind kind) const { return columns_[static_cast<std::size_t>(kind)]; }
  /// The range of values in view, ignoring empty columns; {0, 0} if there are none.
  std::pair<float, float> range(PlotKind kind, RangeOf of = RangeOf::Extremes) const;
  /// For every column, the index of the newest record in it; -1 if unknown.
  const std::vector<std::int64_t>& records() const { return records_; }

 private:
  std::array<std::vector<PlotColumn>, kPlotKinds> columns_;
  std::vector<std::int64_t> records_;
  PlotExtremes extremes_;
  // The inputs of the columns.
  TimeAxis axis_;
  base::Nanoseconds live_edge_ = 0;
  std::optional<PlotsWanted> wanted_;
};

/// Whether a plot of several GPUs shows all of them together, as what is in flight; of the others it is their mean.
constexpr bool shows_sum(PlotKind kind) { return kind == PlotKind::RunAhead || kind == PlotKind::RunAheadMax; }
/// For each column the mean of those of several GPUs, for the same axis, and the least and the most in any of them;
/// without those that know nothing there.
std::vector<PlotColumn> mean_columns(std::span<const PlotSet> of_gpus, PlotKind kind);

/// The range of the known columns; {0, 0} if there are none.
std::pair<float, float> range_of(std::span<const PlotColumn> columns, RangeOf of);

}  // namespace lanescope::ui
