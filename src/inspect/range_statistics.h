// Statistics of the events that start in a stretch of time, on all or some lanes: per name, and of their durations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event_merge.h"
#include "analysis/summary.h"
#include "base/background_job.h"

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
  std::vector<NameStatistics> names;  ///< by sum, largest first
  /// A histogram of durations. Bin widths grow by a constant factor: bin i covers [edges[i], edges[i + 1]). Instants
  /// have no duration and are in no bin.
  std::vector<double> edges;
  std::vector<std::int64_t> counts;
  std::int64_t instants = 0;
  Nanoseconds sum_ns = 0;
  analysis::DurationStats all;
  bool exact = true;  ///< false: too many events to keep their durations, so percentiles are accurate to 1 %

  /// The bin of a duration; empty if there is none.
  std::optional<std::size_t> bin_of(Nanoseconds duration) const;
};

/// The number of durations kept for exact percentiles.
inline constexpr std::size_t kExactDurations = 4'000'000;

/// For the events of `lanes` (empty: all) that start in [from, to). Iterations and phases contain other events, so the
/// sums of different names overlap. Cost grows with the number of events. If stopped, returns early with a partial
/// result.
RangeStatistics range_statistics(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                 const std::vector<trace::LaneId>& lanes, const base::Stop* stop = nullptr,
                                 std::size_t exact_durations = kExactDurations);

/// For all events of this name on lanes of this kind. `exact`, if given: false if percentiles are accurate to 1 % only.
NameStatistics name_statistics(const trace::Trace& trace, trace::NameId name, trace::LaneKind kind,
                               const base::Stop* stop = nullptr, bool* exact = nullptr,
                               std::size_t exact_durations = kExactDurations);

using analysis::count_starting;

/// The edges of bins from at or below `least` to above `most`, both at least 1: steps of 1/20, 1/10 or 1/5 of a decade,
/// so that there are at most 48 bins.
std::vector<double> histogram_edges(Nanoseconds least, Nanoseconds most);

enum class StatisticsColumn : std::uint8_t { Name, Count, Sum, Mean, P50, P99, Max, Min };
/// Sorts lines by a column: names alphabetically, numbers from the largest; reversed if `ascending`.
void sort_statistics(std::vector<NameStatistics>& lines, const base::NameTable& names, StatisticsColumn by,
                     bool ascending);

}  // namespace lanescope::ui
