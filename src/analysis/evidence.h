// What the advisor's rules look at: waits, bubbles and copies of whole iterations, by the place in the program that
// causes them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/call_names.h"
#include "analysis/live_analysis.h"
#include "analysis/summary.h"

namespace lanescope::analysis {

/// Where something happened, to be shown.
struct Place {
  trace::LaneId lane = 0;
  Nanoseconds start_ns = 0, end_ns = 0;
};

/// All calls of one name made within one range of the program: `cudaStreamSynchronize` in "item()".
struct CallSite {
  trace::NameId range = 0;  ///< the innermost range around the call on its thread; 0: none
  trace::NameId call = 0;   ///< of a wait for another thread: the same as `range`
  CallRole role = CallRole::Other;
  std::int64_t count = 0;
  std::int64_t sync_count = 0;      ///< of them, synchronisations by their nature
  std::int64_t needless_count = 0;  ///< synchronisations that found nothing to wait for
  Nanoseconds host_ns = 0;          ///< durations added up
  /// Waiting, copying and returning. No loss by itself: wait_busy_ns of it the GPU was busy.
  Nanoseconds wait_ns = 0, wait_busy_ns = 0;
  /// The bubbles that these calls caused, or that the late launch among them ended, by cause.
  std::array<Nanoseconds, kBubbleCauses> bubble_ns{};
  std::int64_t bubble_count = 0;
  std::int64_t quickly_followed = 0;  ///< bubbles after a sync whose next launch began within kQuicklyNs of its return
  Nanoseconds longest_bubble_ns = 0;
  Place example;       ///< the call of the longest bubble; without any, the longest call
  bool aside = false;  ///< of a thread that launches nothing, as a loader's pin thread: it holds up no launch

  Nanoseconds bubbles_ns() const {
    Nanoseconds sum = 0;
    for (const Nanoseconds ns : bubble_ns) sum += ns;
    return sum;
  }
};
/// A launch so soon after a read depends on what was read, as a rule.
inline constexpr Nanoseconds kQuicklyNs = 50'000;

/// All copies in one direction, of one kind of host memory, made within one range.
struct CopyGroup {
  trace::NameId range = 0;
  trace::CopyDirection direction = trace::CopyDirection::Other;
  trace::MemoryKind memory = trace::MemoryKind::Unknown;  ///< of the host's side
  bool asynchronous = false;
  std::int64_t count = 0, small_count = 0;  ///< small: at most kSmallCopyBytes
  std::int64_t apart_count = 0;             ///< on a stream on which no kernel ran
  std::int64_t bytes = 0;
  Nanoseconds gpu_ns = 0;        ///< in which at least one of them ran: two at once share the link
  Nanoseconds exposed_ns = 0;    ///< the part of it in which no kernel ran
  Nanoseconds host_ns = 0;       ///< what the calls held the CPU, added up
  Nanoseconds held_idle_ns = 0;  ///< in which one of the calls held the CPU and the GPU was idle
  Place example;                 ///< the longest call

  double gb_per_s() const { return gpu_ns > 0 ? static_cast<double>(bytes) / static_cast<double>(gpu_ns) : 0; }
};
/// Up to this size a copy from pageable host memory is taken into the launch itself (CUDA C++ Programming Guide).
inline constexpr std::int64_t kSmallCopyBytes = 64 * 1024;

/// Ranges in which the program timed itself: those of a lane or of the name "stopwatch" (kStopwatchLane).
struct Stopwatches {
  std::int64_t count = 0;
  /// What was issued within it still ran when it ended, for more than a fifth of what it shows and more than 10 us.
  std::int64_t early_count = 0;
  /// Of the early one with most still to run: what it shows, and for how long the GPU was not done.
  Nanoseconds shown_ns = 0, still_running_ns = 0;
  std::optional<Place> earliest;
  std::optional<Place> begun_before;  ///< the longest that began before the stretch and reaches into it
};
inline constexpr double kStoppedEarly = 0.2;  ///< A17: of what the stopwatch shows
inline constexpr Nanoseconds kStoppedEarlyNs = 10'000;

struct Evidence {
  /// From the start of the first iteration that counts to the end of the last one.
  Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;
  Summary summary;                ///< of that stretch, with its run-ahead
  std::vector<CallSite> sites;    ///< the costliest first: by bubbles, then by waits
  std::vector<CopyGroup> copies;  ///< the longest first
  Nanoseconds median_kernel_ns = 0;
  Nanoseconds median_launch_ns = 0;  ///< of the calls that launch kernels
  Nanoseconds launches_ns = 0;       ///< they added up
  /// Waits for other threads of the program: how many, and the median and the longest of them.
  std::int64_t loader_waits = 0;
  Nanoseconds median_loader_wait_ns = 0, longest_loader_wait_ns = 0;
  Nanoseconds full_queue_ns = 0;  ///< launches that waited until the launch queue had room again
  Stopwatches stopwatches;
  std::int64_t stale_reads = 0;  ///< the program read memory before the copy into it had ended
  std::optional<Place> stale_read;

  Nanoseconds span_ns() const { return to_ns - from_ns; }
  double per_iteration(std::int64_t sum) const {
    return iterations > 0 ? static_cast<double>(sum) / static_cast<double>(iterations) : 0;
  }
  double share(Nanoseconds ns) const {
    return span_ns() > 0 ? static_cast<double>(ns) / static_cast<double>(span_ns()) : 0;
  }
};

/// Iterations [first, size) of the records are in the steady state: the first one, and those that follow it while they
/// take more than twice the median, are warm-up (memory is allocated, code is loaded), a quarter of all at most.
/// Fewer than four are taken as they are.
std::size_t warm_up_count(std::span<const IterationRecord> records);

/// Gathers from [from, to), cut to whole iterations. Cost grows with the events in it; nothing (0 iterations) when
/// there is no whole iteration, or when `stop` is set meanwhile.
Evidence gather(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop = nullptr);
/// The same of a stretch as it is, whether there are iterations in it or not.
Evidence gather_stretch(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                        const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
