// The input of the advisor's rules: waits, bubbles and copies of whole iterations, grouped by the place in the program
// that causes them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/lane_facts.h"
#include "analysis/live_analysis.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// A place in the trace, to be shown to the user.
struct Place {
  trace::LaneId lane = 0;
  Nanoseconds start_ns = 0, end_ns = 0;
};

/// All calls of one name within one range of the program: `cudaStreamSynchronize` in "item()".
struct CallSite {
  trace::NameId range = 0;  ///< the innermost range around the call on its thread; 0: none
  trace::NameId call = 0;   ///< for a wait for another thread, or a statement that pins memory: `range`
  CallRole role = CallRole::Other;
  trace::RangeKind range_kind = trace::RangeKind::Other;
  std::int64_t count = 0;
  std::int64_t sync_count = 0;      ///< of these, synchronisations (trace::is_sync)
  std::int64_t needless_count = 0;  ///< synchronisations that had nothing to wait for
  Nanoseconds host_ns = 0;          ///< the sum of their durations
  /// Waiting, copying and returning. Not a loss by itself: for wait_busy_ns of it, the GPU was busy (with
  /// kernels, where copies run alone for kExposedCopyMatters of the time).
  Nanoseconds wait_ns = 0, wait_busy_ns = 0;
  /// The bubbles that these calls caused, or that the late launch among them ended, by cause.
  std::array<Nanoseconds, kBubbleCauses> bubble_ns{};
  std::int64_t bubble_count = 0;
  std::int64_t quickly_followed = 0;  ///< bubbles after a sync whose next launch began within kQuicklyNs of its return
  Nanoseconds longest_bubble_ns = 0;
  Place example;       ///< the call of the longest bubble, or the longest call if there is none
  bool aside = false;  ///< on a thread that launches nothing, such as a loader's pin thread, so it delays no launch

  Nanoseconds bubbles_ns() const {
    Nanoseconds sum = 0;
    for (const Nanoseconds ns : bubble_ns) sum += ns;
    return sum;
  }
};
/// A launch this soon after a read usually depends on the value read.
inline constexpr Nanoseconds kQuicklyNs = 50'000;

/// All copies in one direction, with one kind of host memory, within one range.
struct CopyGroup {
  trace::NameId range = 0;
  trace::CopyDirection direction = trace::CopyDirection::Other;
  trace::MemoryKind memory = trace::MemoryKind::Unknown;  ///< on the host's side
  bool asynchronous = false;
  std::int64_t count = 0, small_count = 0;  ///< small: at most kSmallCopyBytes
  std::int64_t apart_count = 0;             ///< on a stream without kernels
  std::int64_t bytes = 0;
  Nanoseconds gpu_ns = 0;        ///< time with at least one of them running: concurrent copies share the link
  Nanoseconds exposed_ns = 0;    ///< the part of it without a running kernel
  Nanoseconds host_ns = 0;       ///< how long the calls blocked the CPU, in total
  Nanoseconds held_idle_ns = 0;  ///< time in which a call blocked the CPU while the GPU was idle
  Place example;                 ///< the longest call

  double gb_per_s() const { return gpu_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(gpu_ns) : 0; }
};
/// A copy from pageable host memory up to this size is put into the launch itself (CUDA C++ Programming Guide).
inline constexpr std::int64_t kSmallCopyBytes = 64 * 1024;

/// Ranges in which the program timed itself: trace::RangeKind::Timed.
struct Stopwatches {
  std::int64_t count = 0;
  /// Work issued within it was still running when it ended, for more than a fifth of the time shown and more than 10
  /// us.
  std::int64_t early_count = 0;
  /// The one with the most work still running: the time it shows, and how much longer the GPU took.
  Nanoseconds shown_ns = 0, still_running_ns = 0;
  std::optional<Place> earliest;
  std::optional<Place> begun_before;  ///< the longest one that began before the stretch and extends into it
};
inline constexpr double kStoppedEarly = 0.2;  ///< A17: share of the time that the stopwatch shows
inline constexpr Nanoseconds kStoppedEarlyNs = 10'000;

/// Launches that took far longer than the others, and more than half of a gap of the GPU: often to load code.
struct LongLaunches {
  std::int64_t count = 0;
  Nanoseconds calls_ns = 0;  ///< the sum of their durations
  Nanoseconds idle_ns = 0;   ///< the gaps
  // Of the longest:
  Place longest;
  trace::NameId range = 0, call = 0;
};
inline constexpr Nanoseconds kLongLaunchNs = 100'000;
inline constexpr int kLongLaunchMedians = 10;

inline constexpr double kFarLonger = 3;  ///< a wait for data: times the median one

struct Evidence {
  /// From the start of the first to the end of the last iteration considered.
  Nanoseconds from_ns = 0, to_ns = 0;
  /// If only parts of it were recorded, or something rare is left out (once.h): the time of the iterations that lie
  /// wholly in what counts. Everything here is of these iterations alone, also what is known all the time. 0: all of
  /// it.
  Nanoseconds recorded_ns = 0;
  std::int64_t iterations = 0;
  Summary summary;                ///< of that stretch, with its run-ahead
  std::vector<CallSite> sites;    ///< by cost, highest first: by bubbles, then by waits
  std::vector<CopyGroup> copies;  ///< longest first
  Nanoseconds median_kernel_ns = 0;
  Nanoseconds median_work_ns = 0;    ///< of the kernels of one call together: many if it launches a graph
  Nanoseconds median_launch_ns = 0;  ///< of the calls that launch kernels
  Nanoseconds launches_ns = 0;       ///< the sum of their durations
  std::int64_t launches = 0;
  LongLaunches long_launches;
  /// Waits for other threads of the program: total and longest.
  Nanoseconds loader_wait_ns = 0, longest_loader_wait_ns = 0;
  /// Those longer than a tenth of the longest and kFarLonger times the median of all iterations: number, and how much
  /// longer in all.
  std::int64_t long_loader_waits = 0;
  Nanoseconds long_loader_excess_ns = 0;
  Nanoseconds full_queue_ns = 0;  ///< launches that waited because the launch queue was full
  Stopwatches stopwatches;
  std::int64_t stale_reads = 0;  ///< reads of memory before the copy into it had ended
  std::optional<Place> stale_read;
  trace::GpuNumber gpu = trace::kNobody;  ///< with several GPUs, the one described; kNobody: all lanes together

  Nanoseconds span_ns() const { return recorded_ns > 0 ? recorded_ns : to_ns - from_ns; }
  double per_iteration(std::int64_t sum) const {
    return iterations > 0 ? static_cast<double>(sum) / static_cast<double>(iterations) : 0;
  }
  /// Of a time: as Summary::gpu_time_per_iteration().
  double time_per_iteration(Nanoseconds ns) const {
    return summary.in_parts ? share(ns) * summary.iteration.mean_ns : per_iteration(ns);
  }
  double share(Nanoseconds ns) const {
    return span_ns() > 0 ? static_cast<double>(ns) / static_cast<double>(span_ns()) : 0;
  }
};

/// Gathers the evidence in [from, to), cut to whole iterations. Cost grows with the number of events. Returns nothing
/// (0 iterations) if there is no whole iteration (recorded in parts: fewer than kFewestWhole), or if `stop` is set
/// meanwhile.
///
/// `gpu`: with several GPUs (trace::Owners::gpus), considers only this one: its operations, and the calls and waits of
/// the process that uses it, without those of threads that launch only on other GPUs. kNobody: all lanes together. With
/// a single GPU, the number is ignored.
/// `rare` is left out: whole iterations, as of rare_spans().
Evidence gather(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop = nullptr,
                trace::GpuNumber gpu = trace::kNobody, std::span<const TimeSpan> rare = {});
/// The same for exactly this stretch, with or without iterations.
Evidence gather_stretch(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                        const std::atomic<bool>* stop = nullptr, trace::GpuNumber gpu = trace::kNobody);

}  // namespace lanescope::analysis
