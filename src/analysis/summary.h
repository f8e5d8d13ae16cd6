// What a stretch of a trace adds up to: times, waits, bubbles with their causes, and a verdict.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// Why the GPU had nothing to run.
enum class BubbleCause : std::uint8_t {
  AfterSync,      ///< a call drained the queue, and the next launch came only after it had returned
  LaunchTooSlow,  ///< the CPU issued the next operation after the GPU had run dry, without a sync being the cause
  Copy,           ///< the CPU was held inside a copy (staging a pageable batch) or pinning memory
  StartOrEnd,     ///< before the first or after the last operation of the range
};
inline constexpr std::size_t kBubbleCauses = 4;
std::string_view cause_name(BubbleCause cause);  ///< "after a sync", "launch too slow", ...

/// An interval in which no GPU lane had work, and what it consists of.
struct Bubble {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  BubbleCause cause = BubbleCause::StartOrEnd;
  // After a sync or a copy: the three parts of the bubble, which add up to it.
  Nanoseconds wake_ns = 0;    ///< from the last operation's end until the blocking call was back
  Nanoseconds cpu_ns = 0;     ///< from there until the next launch was begun
  Nanoseconds launch_ns = 0;  ///< from the begin of the launch until the operation started
  trace::NameId call = 0;       ///< the call that drained the queue ("cudaStreamSynchronize"), or the late launch
  Nanoseconds call_start_ns = 0;
  trace::LaneId call_lane = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }
};

struct DurationStats {
  std::int64_t count = 0;
  double mean_ns = 0;
  Nanoseconds p50_ns = 0;  ///< nearest rank
  Nanoseconds p99_ns = 0;
  Nanoseconds min_ns = 0;
  Nanoseconds max_ns = 0;
};
/// Sorts its argument. p-th percentile by nearest rank: the ceil(p/100 * n)-th smallest.
DurationStats duration_stats(std::vector<Nanoseconds>& durations);

enum class VerdictKind : std::uint8_t { Unknown, SyncBound, LaunchBound, CopyBound, LoaderBound, GpuBound };
/// "Sync-bound"; the JSON form is "sync-bound".
std::string_view verdict_title(VerdictKind kind);
std::string_view verdict_key(VerdictKind kind);

struct Verdict {
  VerdictKind kind = VerdictKind::Unknown;
  // The figures behind it, as fractions of the window.
  double idle = 0;         ///< the GPU had nothing to run
  double after_sync = 0;   ///< idle, by cause
  double launch = 0;
  double copy_held = 0;
  double exposed_copy = 0;  ///< a copy ran and no kernel
  /// One or two sentences: "The GPU is idle 47 % of the time; 44 % is right after a read of the loss."
  std::string sentence;
};

struct Summary {
  Nanoseconds from_ns = 0, to_ns = 0;  ///< the window: what was asked for, cut to what is known
  DurationStats iteration;             ///< iterations that lie in the window as a whole
  Nanoseconds gpu_busy_ns = 0;         ///< union over all GPU lanes
  Nanoseconds kernel_ns = 0;           ///< union over the kernel lanes
  Nanoseconds exposed_copy_ns = 0;     ///< gpu_busy_ns - kernel_ns
  Nanoseconds host_wait_ns = 0;        ///< waiting + copying + returning of blocking calls, per thread, cut to the window
  std::int64_t sync_count = 0;         ///< calls with kSyncFlag that start in the window
  std::int64_t launch_count = 0;       ///< kernel launches (cudaLaunchKernel) that start in the window
  std::int64_t gpu_op_count = 0;
  Nanoseconds bubble_ns = 0;
  std::array<Nanoseconds, kBubbleCauses> bubble_by_cause_ns{};
  std::int64_t bubble_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;
  Nanoseconds h2d_ns = 0, d2h_ns = 0;  ///< union of the copies in that direction
  double run_ahead_mean = 0;           ///< operations issued and not yet finished, averaged over time
  std::int64_t run_ahead_max = 0;
  Verdict verdict;

  Nanoseconds window_ns() const { return to_ns - from_ns; }
  /// Rate while copying, 1e9 bytes per second; 0 without copies.
  double h2d_gb_per_s() const { return h2d_ns > 0 ? static_cast<double>(h2d_bytes) / static_cast<double>(h2d_ns) : 0; }
  double d2h_gb_per_s() const { return d2h_ns > 0 ? static_cast<double>(d2h_bytes) / static_cast<double>(d2h_ns) : 0; }
};

/// Analyses [from, to) of a trace. Cost grows with the events in the range.
Summary analyse(const trace::Trace& trace, Nanoseconds from, Nanoseconds to);

/// Fills `verdict` from the other figures.
void judge(Summary& summary);

}  // namespace lanescope::analysis
