// Statistics of the events that start in a stretch of time, on all lanes or some: per name, and of their durations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/summary.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct NameStatistics {
  trace::NameId name = 0;
  trace::LaneKind kind = trace::LaneKind::Phases;
  Nanoseconds sum_ns = 0;
  analysis::DurationStats durations;
};

struct RangeStatistics {
  std::vector<NameStatistics> names;  ///< the largest sum first
  /// Durations counted in bins that grow by a constant factor: bin i holds [edges[i], edges[i + 1]).
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
  Nanoseconds sum_ns = 0;
  analysis::DurationStats all;
};

/// Of the events that start in [from, to), of `lanes`; empty: all. Iterations and phases contain others, so sums are of
/// each name for itself. Cost grows with the events.
RangeStatistics range_statistics(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                 const std::vector<trace::LaneId>& lanes);

}  // namespace lanescope::ui
