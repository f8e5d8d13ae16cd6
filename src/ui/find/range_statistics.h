// Statistics of the events that start in a stretch of time, on all lanes or some: per name, and of their durations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "ui/find/background_job.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct NameStatistics {
  trace::NameId name = 0;
  trace::LaneKind kind = trace::LaneKind::Phases;
  Nanoseconds sum_ns = 0;
  analysis::DurationStats durations;

  bool operator==(const NameStatistics& o) const { return name == o.name && kind == o.kind; }
};

struct RangeStatistics {
  std::vector<NameStatistics> names;  ///< the largest sum first
  /// Durations counted in bins that grow by a constant factor: bin i holds [edges[i], edges[i + 1]). Instants, which
  /// have no duration, are in none.
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
  std::int64_t instants = 0;
  Nanoseconds sum_ns = 0;
  analysis::DurationStats all;
  bool exact = true;  ///< else percentiles are within 1 %: there are too many events to keep their durations

  /// The bin of a duration.
  std::optional<std::size_t> bin_of(Nanoseconds duration) const;
};

/// So many durations are kept to tell percentiles exactly.
inline constexpr std::size_t kExactDurations = 4'000'000;

/// Of the events that start in [from, to), of `lanes`; empty: all. Iterations and phases contain others, so sums are of
/// each name for itself. Cost grows with the events. Stopped, it returns early with something.
RangeStatistics range_statistics(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                 const std::vector<trace::LaneId>& lanes, const Stop* stop = nullptr,
                                 std::size_t exact_durations = kExactDurations);

/// The events that it is about, counted by searches alone.
std::int64_t count_starting(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                            const std::vector<trace::LaneId>& lanes);

/// The edges of bins from at or below `least` to above `most`, which are at least 1: whole steps of a decade cut into
/// 20, 10 or 5, so that there are at most 48 of them.
std::vector<double> histogram_edges(Nanoseconds least, Nanoseconds most);

enum class StatisticsColumn : std::uint8_t { Name, Count, Sum, Mean, P50, P99, Max, Min };
/// Sorts lines by a column: names from A, numbers from the largest; `ascending` the other way round.
void sort_statistics(std::vector<NameStatistics>& lines, const base::NameTable& names, StatisticsColumn by,
                     bool ascending);

}  // namespace lanescope::ui
