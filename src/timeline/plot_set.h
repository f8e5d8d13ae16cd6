// The plots over the iterations: computes each column of pixels from running totals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "timeline/block_tree.h"
#include "timeline/span_batch.h"
#include "timeline/time_axis.h"

namespace lanescope::ui {

// --- plot kind -------------------------------------------------------------------------------------------------------
// The quantities of iterations that can be plotted.

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

// --- plot extremes ---------------------------------------------------------------------------------------------------
// The exact minimum and maximum over any stretch of iterations, at a cost independent of their number. Kept up to date
// as records are added, change at the newest end, and are thinned out.

class PlotExtremes {
 public:
  /// Reads new records. Extremes are kept when records are dropped: the remaining record then has the extremes of all
  /// iterations it covers. A new `generation` means different records. Returns false if nothing changed.
  bool sync(std::span<const analysis::IterationRecord> records, PlotKinds kinds, std::uint64_t generation);
  /// Over the values of records [begin, end), each relative to the one before.
  Extremes over(PlotKind kind, std::size_t begin, std::size_t end) const {
    return trees_[static_cast<std::size_t>(kind)].over(begin, end);
  }
  /// Of the records at the last sync(): searching the records themselves reads memory that is far apart.
  std::span<const base::Nanoseconds> ends() const { return ends_; }

 private:
  void clear();
  void note(const analysis::IterationRecord& record);
  std::size_t first_complete(std::span<const analysis::IterationRecord> records) const;
  void merge(std::span<const analysis::IterationRecord> records);
  bool forget_changed(std::span<const analysis::IterationRecord> records);

  std::uint64_t generation_ = 0;
  PlotKinds kinds_;
  std::vector<std::int64_t> numbers_;       // of the records at the last sync()
  std::vector<base::Nanoseconds> ends_;     // likewise
  std::vector<std::uint64_t> late_values_;  // a hash of their values that may still change
  std::array<BlockTree<Extremes>, kPlotKinds> trees_;
};

// --- plot set --------------------------------------------------------------------------------------------------------

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
