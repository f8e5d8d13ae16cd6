#include "timeline/plot_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/huge_pages.h"

namespace lanescope::ui {

using analysis::IterationRecord;

void PlotSet::prepare(std::span<const IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge,
                      const PlotsWanted& wanted) {
  const bool changed = extremes_.sync(records, wanted.kinds, wanted.generation);
  if (!changed && wanted_ == wanted && axis_ == axis && live_edge_ == live_edge) return;
  wanted_ = wanted;
  axis_ = axis;
  live_edge_ = live_edge;
  const auto count = static_cast<std::size_t>(std::max(0.0f, axis.width_px()));
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<PlotKind> kinds;
  for (std::size_t k = 0; k < kPlotKinds; ++k) {
    const auto kind = static_cast<PlotKind>(k);
    columns_[k].assign(wanted.kinds.has(kind) ? count : 0, {kNaN, kNaN, kNaN});
    if (wanted.kinds.has(kind)) kinds.push_back(kind);
  }
  records_.assign(count, -1);
  if (records.empty()) return;
  const std::span<const base::Nanoseconds> ends = extremes_.ends();
  const auto first_ending_at = [&](std::size_t from, base::Nanoseconds t) {
    // Starts near `from`, where the next column is: doubling steps, then binary search.
    std::size_t step = 1;
    std::size_t low = from;
    while (low + step < ends.size() && ends[low + step] < t) {
      low += step;
      step *= 2;
    }
    const auto high = ends.begin() + static_cast<std::ptrdiff_t>(std::min(ends.size(), low + step + 1));
    return static_cast<std::size_t>(std::lower_bound(ends.begin() + static_cast<std::ptrdiff_t>(low), high, t) -
                                    ends.begin());
  };
  std::size_t begin = first_ending_at(0, axis.begin_ns());
  std::size_t later = begin;
  for (std::size_t column = 0; column < count && begin < records.size(); ++column) {
    const base::Nanoseconds from = axis.to_ns(axis.left_px() + static_cast<float>(column));
    const base::Nanoseconds to = axis.to_ns(axis.left_px() + static_cast<float>(column) + 1);
    if (from >= live_edge) break;
    constexpr float kColumnsAhead = 8;
    later = first_ending_at(later, axis.to_ns(axis.left_px() + static_cast<float>(column) + kColumnsAhead));
    if (later > 0) base::prefetch(&records[later - 1], sizeof(IterationRecord));
    begin = first_ending_at(begin, from);
    if (begin == records.size()) break;
    if (records[begin].start_ns >= to) continue;  // between two iterations of an opened trace
    // The first record's totals include what happened before the first iteration: it serves only as a reference for the
    // next.
    if (begin == 0) {
      if (records.size() == 1 || records[1].start_ns >= to) continue;
      begin = 1;
    }
    // The iterations that end in this column, and the one that covers it.
    const std::size_t end = std::max(begin + 1, first_ending_at(begin, to));
    records_[column] = static_cast<std::int64_t>(end) - 1;
    for (const PlotKind kind : kinds) {
      PlotColumn& c = columns_[static_cast<std::size_t>(kind)][column];
      c.mean = static_cast<float>(plot_value(kind, records[begin - 1], records[end - 1]));
      c.min = c.max = c.mean;
      const Extremes found = extremes_.over(kind, begin, end);
      if (found.empty()) continue;
      if (kind == PlotKind::RunAheadMax) c.mean = c.max = found.max;
      c.min = std::min(c.min, found.min);
      c.max = std::max(c.max, found.max);
    }
  }
}

std::pair<float, float> PlotSet::range(PlotKind kind, RangeOf of) const { return range_of(columns(kind), of); }

std::vector<PlotColumn> mean_columns(std::span<const PlotSet> of_gpus, PlotKind kind) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  std::vector<PlotColumn> means(of_gpus.empty() ? 0 : of_gpus.front().columns(kind).size(), {kNaN, kNaN, kNaN});
  for (std::size_t column = 0; column < means.size(); ++column) {
    PlotColumn& mean = means[column];
    int known = 0;
    for (const PlotSet& gpu : of_gpus) {
      const PlotColumn& one = gpu.columns(kind)[column];
      if (!std::isfinite(one.mean)) continue;
      if (known == 0) {
        mean = one;
      } else {
        mean = {std::min(mean.min, one.min), std::max(mean.max, one.max), mean.mean + one.mean};
      }
      ++known;
    }
    if (known > 1) mean.mean /= static_cast<float>(known);
  }
  return means;
}

std::pair<float, float> range_of(std::span<const PlotColumn> columns, RangeOf of) {
  Extremes range;
  for (const PlotColumn& c : columns) {
    if (!std::isfinite(c.mean)) continue;
    range.take(of == RangeOf::Means ? c.mean : c.min);
    range.take(of == RangeOf::Means ? c.mean : c.max);
  }
  return range.empty() ? std::pair{0.0f, 0.0f} : std::pair{range.min, range.max};
}

}  // namespace lanescope::ui
