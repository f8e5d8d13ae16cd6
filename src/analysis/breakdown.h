// A run's call sites, copies, kernels and iterations as tables for a report. Uses names instead of ids, so that the
// tables outlive the trace.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/evidence.h"

namespace lanescope::analysis {

/// All calls of one name within one range of the program; see CallSite.
struct SiteRow {
  std::string range;  ///< empty: none
  std::string call;
  std::int64_t count = 0, sync_count = 0, needless_count = 0;
  Nanoseconds host_ns = 0;
  Nanoseconds wait_ns = 0, wait_busy_ns = 0;
  std::array<Nanoseconds, kBubbleCauses> bubble_ns{};
  Nanoseconds bubbles_ns = 0;
};

/// See CopyGroup.
struct CopyRow {
  std::string range;
  trace::CopyDirection direction = trace::CopyDirection::Other;
  trace::MemoryKind memory = trace::MemoryKind::Unknown;
  bool asynchronous = false;
  std::int64_t count = 0, bytes = 0;
  Nanoseconds gpu_ns = 0, exposed_ns = 0, host_ns = 0, held_idle_ns = 0;
  double gb_per_s = 0;
};

std::string_view direction_key(trace::CopyDirection direction);  ///< "host-to-device"
std::string_view memory_key(trace::MemoryKind memory);           ///< "pageable"

struct KernelRow {
  std::string name;
  std::int64_t count = 0;
  Nanoseconds total_ns = 0, min_ns = 0, max_ns = 0;
  double mean_ns() const { return count > 0 ? static_cast<double>(total_ns) / static_cast<double>(count) : 0; }
};

/// Durations of iterations: counts[i] is for [from_ns + i * width_ns, from_ns + (i + 1) * width_ns), `longer` for
/// everything above. Empty without iterations.
struct Histogram {
  Nanoseconds from_ns = 0, width_ns = 0;
  std::vector<std::int64_t> counts;
  std::int64_t longer = 0;
};
inline constexpr std::size_t kHistogramBins = 32;
/// Equal bins from the shortest to the longest. If a few are far longer than the 99th percentile, the bins end there;
/// otherwise a single outlier would put all others into the first bin.
Histogram histogram(std::vector<Nanoseconds> durations);

struct Breakdown {
  /// The stretch of the call, copy and kernel tables: the iterations that the advice describes, or the whole trace if
  /// it has none (0 iterations).
  Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;
  std::vector<SiteRow> sites;  ///< by cost, highest first: by bubbles, then by waits
  std::vector<CopyRow> copies;
  std::vector<KernelRow> kernels;  ///< by total time, longest first
  Nanoseconds kernel_time_ns = 0;  ///< the sum over all kernels, including those left out
  /// Each table has at most kBreakdownRows rows; the numbers of rows left out.
  std::int64_t sites_left_out = 0, copies_left_out = 0, kernels_left_out = 0;
  Nanoseconds host_wait_ns = 0;  ///< in the stretch of the verdict
  /// The iterations of the run's figures.
  DurationStats iteration;
  Histogram durations;

  Nanoseconds span_ns() const { return to_ns - from_ns; }
};
inline constexpr std::size_t kBreakdownRows = 200;

/// `figures` is the stretch whose iterations are counted; the tables are of the same iterations up to `to` as the
/// advice. With several GPUs, they are for the one that the verdict of `figures` is about, and `records` are
/// LiveAnalysis::records() of that GPU. `from_the_start`: see warm_up_count().
Breakdown break_down(const trace::Trace& trace, std::span<const IterationRecord> records, const Summary& figures,
                     Nanoseconds to, bool from_the_start = true);

}  // namespace lanescope::analysis
