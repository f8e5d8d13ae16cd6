// What a stretch of a trace adds up to: times, waits, bubbles with their causes, and a verdict.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/pace.h"
#include "trace/trace.h"

namespace lanescope::analysis {

/// Why the GPU had nothing to run.
enum class BubbleCause : std::uint8_t {
  AfterSync,      ///< a call drained the queue, and the next launch came only after it had returned
  Cpu,            ///< the program did something else for most of the gap before it launched, without a sync
  LaunchLatency,  ///< launched before the GPU ran dry, or only just after: the gap is what a launch takes
  Allocation,     ///< the CPU was held while device memory was allocated or freed
  Staging,        ///< the CPU was held inside a copy from or to pageable memory
  Pinning,        ///< the CPU was held while memory was page-locked
  Dependency,     ///< launched long before, behind a copy on another stream
  Loader,         ///< the program waited for another of its threads (a data loader's worker) before it launched
  StartOrEnd,     ///< before the first or after the last operation of the range: why is not known
};
inline constexpr std::size_t kBubbleCauses = 9;
std::string_view cause_name(BubbleCause cause);  ///< "after a sync", "launch latency", ...
std::string_view cause_key(BubbleCause cause);   ///< "launch_latency": in JSON
using CauseTimes = std::array<Nanoseconds, kBubbleCauses>;

/// Causes with the same cure, which is what verdict, colours and plots tell apart.
enum class CauseGroup : std::uint8_t {
  AfterSync,   ///< AfterSync
  Launch,      ///< Cpu, LaunchLatency, Allocation: work was issued too late
  Copy,        ///< Staging, Pinning, Dependency: copies held up the CPU or the GPU
  Loader,      ///< Loader
  StartOrEnd,  ///< StartOrEnd
};
inline constexpr std::size_t kCauseGroups = 5;
std::string_view group_name(CauseGroup group);  ///< "after a sync", "launch too slow", ...
CauseGroup group_of(BubbleCause cause);
Nanoseconds idle_of(const CauseTimes& times, BubbleCause cause);
Nanoseconds idle_of(const CauseTimes& times, CauseGroup group);

/// An interval in which no GPU lane had work, and what it consists of.
struct Bubble {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  BubbleCause cause = BubbleCause::StartOrEnd;
  // The three parts of the bubble, which add up to it (StartOrEnd: all 0).
  Nanoseconds wake_ns = 0;    ///< from the last operation's end until the blocking call was back, or the wait was over
  Nanoseconds cpu_ns = 0;     ///< from there until the next launch was begun
  Nanoseconds launch_ns = 0;  ///< from the begin of the launch until the operation started
  /// The call that drained the queue ("cudaStreamSynchronize"), or that held the CPU, or the late launch, or the range
  /// of the wait for data; 0: not known.
  trace::NameId call = 0;
  /// Of the program, around the call of an AfterSync: "item()"; 0: none, or not known yet.
  trace::NameId range = 0;
  Nanoseconds call_start_ns = 0;
  trace::LaneId call_lane = 0;
  trace::LaneKind last_work = trace::LaneKind::Kernels;  ///< what the GPU had run last (not for the first bubble)
  std::uint8_t place = kNoPlace;                         ///< of an AfterSync: the number that sums know its range by

  static constexpr std::uint8_t kNoPlace = 255;

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

enum class VerdictKind : std::uint8_t { Unknown, SyncBound, LaunchBound, CopyBound, LoaderBound, GpuBound, CpuOnly };
/// "Sync-bound"; the JSON form is "sync-bound".
std::string_view verdict_title(VerdictKind kind);
std::string_view verdict_key(VerdictKind kind);

/// The stretch that a verdict is about: from the start of the first iteration that lies in the window as a whole to the
/// end of the last one; without any, from the first to the last operation (the window without its StartOrEnd parts).
/// A first iteration of the run that takes more than kWarmUp times as long as the others do on average is warm-up, and
/// left out, where there are four or more.
struct Judged {
  Nanoseconds from_ns = 0, to_ns = 0;
  Nanoseconds busy_ns = 0, kernel_ns = 0;
  CauseTimes bubble_by_cause_ns{};
  Nanoseconds after_read_ns = 0;    ///< of AfterSync: what had drained was a copy to the host, as item() makes it
  Nanoseconds after_upload_ns = 0;  ///< of AfterSync: what had drained was a blocking copy to the device
  std::string sync_place;           ///< the range of the program with most of AfterSync: "item()"; empty: not known
  Nanoseconds sync_place_ns = 0;    ///< of AfterSync: there
  Nanoseconds warm_up_ns = 0;       ///< what the iteration took that is left out; 0: none is
  std::int64_t iterations = 0;      ///< 0: there are none, and what follows is of all of the stretch
  std::int64_t sync_count = 0, launch_count = 0;
  std::int64_t copied_bytes = 0;  ///< in both directions
  Nanoseconds loader_wait_ns = 0;
};

/// A number to be shown large: 41 "%", 1.02 "per iteration".
struct VerdictFigure {
  std::string label;  ///< "idle", "after item()", "syncs"
  double value = 0;
  std::string unit;
};
std::string value_text(const VerdictFigure& figure);  ///< "41 %", "1.0", "12", "1,024"

struct Verdict {
  VerdictKind kind = VerdictKind::Unknown;
  // The figures behind it, as fractions of the judged stretch. The causes add up to at most `idle`; what is missing is
  // before the first or after the last operation, or still open at the live edge.
  double idle = 0;        ///< the GPU had nothing to run
  double after_sync = 0;  ///< idle, by group of causes
  double launch = 0;
  double copy_held = 0;
  double loader = 0;
  double exposed_copy = 0;  ///< a copy ran and no kernel
  /// "The GPU idles 41 % of the time, 38 % right after item(); 1.0 sync per iteration."
  std::string sentence;
  /// How much of the time the GPU idles; the main cause's share; and how often per iteration what causes it happens.
  /// Three, or none where there is nothing to say.
  std::vector<VerdictFigure> figures;
  std::string note;  ///< that the warm-up is left out; mostly empty
};

struct Summary {
  Nanoseconds from_ns = 0, to_ns = 0;  ///< the window: what was asked for, cut to what is known
  /// The CPU's iterations that lie in the window as a whole. Where the launch queue fills they take as long as issuing
  /// does: what an iteration takes, and what a factor is of, is `pace`.
  DurationStats iteration;
  Pace pace;
  Nanoseconds gpu_busy_ns = 0;      ///< union over all GPU lanes
  Nanoseconds kernel_ns = 0;        ///< union over the kernel lanes
  Nanoseconds exposed_copy_ns = 0;  ///< gpu_busy_ns - kernel_ns
  /// Waiting + copying + returning of blocking calls, per thread, cut to the window; of calls nested in one another on
  /// one thread, every instant once. It is no loss by itself: the GPU may have been busy meanwhile.
  Nanoseconds host_wait_ns = 0;
  /// Waiting for other threads of the program (trace::is_host_wait), per thread, cut to the window.
  Nanoseconds loader_wait_ns = 0;
  std::int64_t sync_count = 0;    ///< calls with kSyncFlag that start in the window
  std::int64_t launch_count = 0;  ///< kernel launches (cudaLaunchKernel) that start in the window
  std::int64_t gpu_op_count = 0;  ///< operations that start in the window
  std::int64_t cpu_op_count = 0;  ///< ops that a CPU device computes, which start in the window
  Nanoseconds bubble_ns = 0;      ///< of all causes
  CauseTimes bubble_by_cause_ns{};
  std::int64_t bubble_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;  ///< of a copy that the window cuts, the share of time inside
  Nanoseconds h2d_ns = 0, d2h_ns = 0;         ///< union of the copies in that direction
  /// Operations issued and not yet finished, averaged over time. An operation counts from the start of the call that
  /// issued it (or its own start when that call is not in the trace) until it ends; a call whose operation is not in
  /// the trace does not count.
  double run_ahead_mean = 0;
  std::int64_t run_ahead_max = 0;
  Judged judged;
  Verdict verdict;

  Nanoseconds window_ns() const { return to_ns - from_ns; }
  /// Rate while copying, 1e9 bytes per second; 0 without copies.
  double h2d_gb_per_s() const { return h2d_ns > 0 ? static_cast<double>(h2d_bytes) / static_cast<double>(h2d_ns) : 0; }
  double d2h_gb_per_s() const { return d2h_ns > 0 ? static_cast<double>(d2h_bytes) / static_cast<double>(d2h_ns) : 0; }
};

/// Analyses [from, to) of a trace, cut to what is kept and complete. Cost grows with the events in the range. When
/// `stop` is set meanwhile it returns soon, with figures that mean nothing.
Summary analyse(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop = nullptr);

// The thresholds of the verdict.

/// The same as the advisor's (warm_up_count).
inline constexpr std::int64_t kWarmUp = 2, kFewestWithWarmUp = 4;
/// Below a tenth, what all bubbles together could give back is within what runs differ by anyway, and the GPU sets the
/// pace: nothing that is done on the CPU's side can gain more than that.
inline constexpr double kIdleMatters = 0.10;
/// Some copying is part of the work. From a quarter of the time on, overlapping it with kernels would be worth a
/// change.
inline constexpr double kExposedCopyMatters = 0.25;
/// A busy GPU that spends half of its busy time only copying is not bound by its kernels.
inline constexpr double kExposedCopyDominates = 0.5;

/// Fills `verdict` from `judged` (or, where that is empty, from the window without its StartOrEnd parts):
/// - CPU only: there are complete iterations and ops of a CPU device, and neither GPU work nor a launch (without such
///   ops it may only be that nothing was captured);
/// - Unknown: no GPU work else; or idle for a tenth or more, but less than a tenth has a cause that is known;
/// - idle < 10 %: GPU-bound, or copy-bound when half of the busy time or more is copies alone;
/// - else the largest of the groups of causes: after a sync; launch too slow; waiting for data; held by copies, with
///   the copies that ran without a kernel beside them if those take a quarter of the time or more.
void judge(Summary& summary);

}  // namespace lanescope::analysis
