// The plots over the iterations: what every column of pixels comes to, from their running totals.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ui/gl/plot_renderer.h"
#include "ui/plot_extremes.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

/// What a PlotSet is to prepare.
struct PlotsWanted {
  PlotKinds kinds = PlotKinds::all();
  bool extremes = true;          ///< else a column's least and greatest are its mean
  std::uint64_t generation = 0;  ///< another one: other records than the time before

  bool operator==(const PlotsWanted&) const = default;
};

enum class RangeOf : std::uint8_t { Means, Extremes };

class PlotSet {
 public:
  /// Fills the columns of the wanted plots for the axis; those of others are empty. Every column's least and greatest
  /// are exact. The cost depends on the columns, and once on each new record; where nothing has changed there is none.
  void prepare(std::span<const analysis::IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge,
               const PlotsWanted& wanted = {});
  const std::vector<PlotColumn>& columns(PlotKind kind) const { return columns_[static_cast<std::size_t>(kind)]; }
  /// The range of values in view, empty columns aside. {0, 0} without any.
  std::pair<float, float> range(PlotKind kind, RangeOf of = RangeOf::Extremes) const;
  /// For every column the newest iteration in it, as an index into the records; -1 where none is known.
  const std::vector<std::int64_t>& records() const { return records_; }

 private:
  std::array<std::vector<PlotColumn>, kPlotKinds> columns_;
  std::vector<std::int64_t> records_;
  PlotExtremes extremes_;
  // What the columns are of.
  TimeAxis axis_;
  base::Nanoseconds live_edge_ = 0;
  std::optional<PlotsWanted> wanted_;
};

/// The range of the columns that are known; {0, 0} without any.
std::pair<float, float> range_of(std::span<const PlotColumn> columns, RangeOf of);

}  // namespace lanescope::ui
