#include "ui/plot_set.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;

// Within a column the extremes are looked for among at most this many of its iterations, evenly spread.
constexpr std::size_t kSamples = 12;

}  // namespace

double plot_value(PlotKind kind, const IterationRecord& before, const IterationRecord& last) {
  const auto ns = static_cast<double>(last.end_ns - before.end_ns);
  const auto rise = [&](auto member) { return static_cast<double>(last.*member - before.*member); };
  if (ns <= 0) return std::numeric_limits<double>::quiet_NaN();
  switch (kind) {
    case PlotKind::IterationsPerSecond:
      return rise(&IterationRecord::number) / ns * 1e9;
    case PlotKind::GpuBusy:
      return rise(&IterationRecord::busy_ns) / ns * 100;
    case PlotKind::CpuWaiting:
      return rise(&IterationRecord::wait_ns) / ns * 100;
    case PlotKind::H2D: {
      const double copying = rise(&IterationRecord::h2d_ns);
      return copying > 0 ? rise(&IterationRecord::h2d_bytes) / copying : 0;
    }
    case PlotKind::D2H: {
      const double copying = rise(&IterationRecord::d2h_ns);
      return copying > 0 ? rise(&IterationRecord::d2h_bytes) / copying : 0;
    }
    case PlotKind::Loss:
      return last.loss;
  }
  return 0;
}

void PlotSet::prepare(std::span<const IterationRecord> records, const TimeAxis& axis, base::Nanoseconds live_edge) {
  const auto count = static_cast<std::size_t>(std::max(0.0f, axis.width_px()));
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (auto& columns : columns_) columns.assign(count, {kNaN, kNaN, kNaN});
  if (records.empty()) return;
  const auto first_ending_at = [&](std::size_t from, base::Nanoseconds t) {
    return static_cast<std::size_t>(
        std::lower_bound(records.begin() + static_cast<std::ptrdiff_t>(from), records.end(), t,
                         [](const IterationRecord& r, base::Nanoseconds at) { return r.end_ns < at; }) -
        records.begin());
  };
  std::size_t begin = first_ending_at(0, axis.begin_ns());
  for (std::size_t column = 0; column < count && begin < records.size(); ++column) {
    const base::Nanoseconds from = axis.to_ns(axis.left_px() + static_cast<float>(column));
    const base::Nanoseconds to = axis.to_ns(axis.left_px() + static_cast<float>(column) + 1);
    if (from >= live_edge) break;
    begin = first_ending_at(begin, from);
    if (begin == records.size()) break;
    if (records[begin].start_ns >= to) continue;  // between two iterations of an opened trace
    // What was copied and waited before the first iteration is in its totals: it is only what others are counted from.
    if (begin == 0) {
      if (records.size() == 1 || records[1].start_ns >= to) continue;
      begin = 1;
    }
    // The iterations that end in this column, and the one that covers it.
    const std::size_t end = std::max(begin + 1, first_ending_at(begin, to));
    const std::size_t step = std::max<std::size_t>(1, (end - begin) / kSamples);
    for (std::size_t k = 0; k < kPlotKinds; ++k) {
      const auto kind = static_cast<PlotKind>(k);
      const auto over = [&](std::size_t a, std::size_t b) {  // iterations [a, b)
        return static_cast<float>(plot_value(kind, records[a - 1], records[b - 1]));
      };
      PlotColumn& c = columns_[k][column];
      c.mean = over(begin, end);
      c.min = c.max = c.mean;
      for (std::size_t i = begin; i < end && end - begin > 1; i += step) {
        const float value = over(i, i + 1);
        c.min = std::min(c.min, value);
        c.max = std::max(c.max, value);
      }
    }
  }
}

std::pair<float, float> PlotSet::range(PlotKind kind) const {
  float low = std::numeric_limits<float>::max();
  float high = std::numeric_limits<float>::lowest();
  for (const PlotColumn& c : columns(kind)) {
    if (std::isnan(c.mean)) continue;
    low = std::min(low, c.mean);
    high = std::max(high, c.mean);
  }
  return low > high ? std::pair{0.0f, 0.0f} : std::pair{low, high};
}

}  // namespace lanescope::ui
