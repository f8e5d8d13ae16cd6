// The totals of a stretch of a trace: times, waits, bubbles with their causes, and a verdict.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/pace.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::analysis {

/// Why the GPU had nothing to run.
enum class BubbleCause : std::uint8_t {
  AfterSync,      ///< a call drained the queue, and the next launch came only after it had returned
  Cpu,            ///< the program did something else for most of the gap before launching; a sync, if there was one,
                  ///< took too little of it to matter
  LaunchLatency,  ///< launched before the GPU ran dry or just after: the gap is the latency of a launch
  Allocation,     ///< allocating or freeing device memory blocked the CPU
  Staging,        ///< a copy from or to pageable memory blocked the CPU
  Pinning,        ///< page-locking memory blocked the CPU
  Dependency,     ///< launched long before, behind a copy on another stream
  Migration,      ///< the driver moved pages of unified memory, which nobody launches
  Loader,         ///< the program waited for another of its threads (a data loader's worker) before launching
  GraphGap,       ///< between two nodes of a CUDA graph, which the GPU goes through by itself
  GpuWait,        ///< launched long before: the GPU had it and did not start it, for a reason of its own
  Unknown,        ///< what launched the next operation is not in the trace
  StartOrEnd,     ///< before the first or after the last operation of the range: cause unknown
};
inline constexpr std::size_t kBubbleCauses = 13;
const char* cause_label(BubbleCause cause);      ///< "after a sync", "launch latency", ...; to be translated
std::string_view cause_name(BubbleCause cause);  ///< the same, translated
std::string_view cause_key(BubbleCause cause);   ///< the key in JSON: "launch_latency"
using CauseTimes = std::array<Nanoseconds, kBubbleCauses>;

/// Causes with the same remedy; verdict, colours and plots distinguish these.
enum class CauseGroup : std::uint8_t {
  AfterSync,   ///< AfterSync
  Launch,      ///< Cpu, LaunchLatency, Allocation: work was issued too late
  Copy,        ///< Staging, Pinning, Dependency, Migration: copies delayed the CPU or the GPU
  Loader,      ///< Loader
  Graph,       ///< GraphGap, GpuWait: neither the CPU nor a copy is the cause
  StartOrEnd,  ///< StartOrEnd, Unknown: not known
};
inline constexpr std::size_t kCauseGroups = 6;
const char* group_label(CauseGroup group);      ///< "after a sync", "launch too slow", ...; to be translated
std::string_view group_name(CauseGroup group);  ///< the same, translated
CauseGroup group_of(BubbleCause cause);
/// Recording makes the calls of the CPU slower, and so these gaps longer than they are when nobody watches.
bool grows_with_recording(BubbleCause cause);
Nanoseconds idle_of(const CauseTimes& times, BubbleCause cause);
Nanoseconds idle_of(const CauseTimes& times, CauseGroup group);

/// An interval in which a GPU had no work on any of its lanes, and its parts.
// A long run keeps a million of them: in this order of its members, each is one cache line.
struct Bubble {
  Nanoseconds start_ns = 0;
  Nanoseconds end_ns = 0;
  BubbleCause cause = BubbleCause::StartOrEnd;
  trace::LaneKind last_work = trace::LaneKind::Kernels;  ///< the GPU's last work (not for the first bubble)
  trace::GpuNumber gpu = 0;                              ///< the idle GPU
  /// The call that drained the queue ("cudaStreamSynchronize"), the call that blocked the CPU, the late launch, or the
  /// range of the wait for data; 0: unknown.
  trace::NameId call = 0;
  Nanoseconds call_start_ns = 0;
  // The three parts of the bubble, which add up to its duration (StartOrEnd, Unknown: all 0).
  Nanoseconds wake_ns = 0;    ///< from the last operation's end until the blocking call returned, or the wait was over
  Nanoseconds cpu_ns = 0;     ///< from there until the next launch began
  Nanoseconds launch_ns = 0;  ///< from the start of the launch until the operation started
  /// AfterSync: the range of the program around the call: "item()"; 0: none, or not known yet.
  trace::NameId range = 0;
  trace::LaneId call_lane = 0;
  std::uint8_t place = kNoPlace;  ///< AfterSync: the index of its range in SyncPlaces
  bool continues = false;         ///< the bubble before it is the same gap's earlier part, which has another cause

  static constexpr std::uint8_t kNoPlace = 255;

  Nanoseconds duration() const { return end_ns - start_ns; }
};
static_assert(sizeof(Bubble) == 64);

/// What a framework does between two launches takes 5 to 50 us, and with a profiler's overhead less than this. Who
/// works for longer before a launch does something else: draws, reads a file, tokenizes.
inline constexpr Nanoseconds kOwnWorkNs = 200 * base::kMicrosecond;
/// After a read, a framework starts the next step or the backward pass, which takes it less than this.
inline constexpr Nanoseconds kWorkAfterSyncNs = base::kMillisecond;
/// Of the gaps with the cause Cpu: the program's own work, not slow launching.
inline bool is_own_work(const Bubble& gap) { return gap.cause == BubbleCause::Cpu && gap.cpu_ns > kOwnWorkNs; }

struct DurationStats {
  std::int64_t count = 0;
  double mean_ns = 0;
  Nanoseconds p50_ns = 0;  ///< nearest rank
  Nanoseconds p99_ns = 0;
  Nanoseconds min_ns = 0;
  Nanoseconds max_ns = 0;
};
/// Reorders its argument. The p-th percentile is by nearest rank: the ceil(p/100 * n)-th smallest.
DurationStats duration_stats(std::vector<Nanoseconds>& durations);

enum class VerdictKind : std::uint8_t {
  Unknown,
  SyncBound,
  LaunchBound,
  CopyBound,
  LoaderBound,
  GpuBound,
  CpuOnly,
  CpuBound,   ///< the program's own work keeps it from launching
  RankBound,  ///< a GPU of a job waits in collectives for another one
  Race,       ///< memory was read before the copy into it had finished: the values are wrong, however fast
};
inline constexpr std::size_t kVerdictKinds = 10;
/// "Sync-bound", translated; the key in JSON is "sync-bound".
std::string_view verdict_title(VerdictKind kind);
std::string_view verdict_key(VerdictKind kind);

/// The stretch of a verdict: from the start of the first to the end of the last iteration that lies completely in the
/// window; without iterations, from the first to the last operation (the window without its StartOrEnd parts). Excludes
/// a first iteration that would distort it as warm-up (warm_up.h).
struct Judged {
  Nanoseconds from_ns = 0, to_ns = 0;
  /// The time of which the following is: to_ns - from_ns, unless only parts of the stretch were recorded, or count.
  Nanoseconds recorded_ns = 0;
  Nanoseconds busy_ns = 0, kernel_ns = 0;
  Nanoseconds exchange_ns = 0;  ///< of kernel_ns: only collectives ran
  CauseTimes bubble_by_cause_ns{};
  Nanoseconds after_read_ns = 0;    ///< of AfterSync: after a copy to the host, such as that of item()
  Nanoseconds after_upload_ns = 0;  ///< of AfterSync: after a blocking copy to the device
  std::string sync_place;           ///< the range of the program with the largest part of AfterSync: "item()"; empty:
                                    ///< unknown
  trace::RangeKind sync_place_kind = trace::RangeKind::Other;
  Nanoseconds sync_place_ns = 0;  ///< of AfterSync: in that range
  Nanoseconds warm_up_ns = 0;     ///< duration of the iterations left out before it; 0: none
  std::int64_t warm_up = 1;       ///< how many, if any
  std::int64_t iterations = 0;    ///< 0: there are none, and the following is for the whole stretch
  std::int64_t sync_count = 0, launch_count = 0;
  std::int64_t copied_bytes = 0;  ///< in both directions
  Nanoseconds loader_wait_ns = 0;
  Nanoseconds host_wait_ns = 0;  ///< as in Summary
  Nanoseconds own_work_ns = 0;   ///< of Cpu: is_own_work()
  std::int64_t stale_reads = 0;  ///< reads of memory before the copy into it had finished
  Nanoseconds rank_wait_ns = 0;  ///< in a job: what `rank_waits` waits in collectives for the last GPU; no idle time
  std::string rank_waits;        ///< the GPU that waits longest: "rank 0"
  std::string rank_late;         ///< the one that is the last in most of them: "rank 1"; empty: none
  /// What is rare in the stretch and left out of all this (once.h), ascending; and the iterations in it.
  std::vector<TimeSpan> rare;
  std::int64_t rare_iterations = 0;

  Nanoseconds span_ns() const { return recorded_ns > 0 ? recorded_ns : to_ns - from_ns; }
};

/// A number to show in large type: 41 "%", 1.02 "per iteration".
struct VerdictFigure {
  std::string label;  ///< "idle", "after item()", "syncs"
  double value = 0;
  std::string unit{};     ///< "MB per iteration": `measure` and `per`
  bool is_share = false;  ///< of the time, in percent
  std::string measure{};  ///< "MB", "µs"; empty for a count
  std::string per{};      ///< "per iteration", "in all", "of the time"
};
std::string value_text(const VerdictFigure& figure);  ///< "41 %", "1.0", "12", "1,024"

struct Verdict {
  VerdictKind kind = VerdictKind::Unknown;
  // The figures behind it, as fractions of the judged stretch. The causes add up to at most `idle`; the rest is before
  // the first or after the last operation, or still open at the live edge.
  double idle = 0;        ///< the GPU had nothing to run
  double after_sync = 0;  ///< idle, by group of causes
  double launch = 0;
  double copy_held = 0;
  double loader = 0;
  double exposed_copy = 0;  ///< a copy ran, but no kernel
  double exchange = 0;      ///< collectives ran, but no other kernel
  double own_work = 0;      ///< of `launch`
  double rank_wait = 0;     ///< not idle: kernels of collectives that wait for another GPU
  std::string title;        ///< if that says more than the kind, translated: "Waits for rank 1"
  /// At most two: "The GPU idles 41 % of the time, 38 % because of item()."
  std::string sentence;
  /// The idle share; the main cause's share; and how often its cause occurs per iteration. Three, or none if there is
  /// no verdict.
  std::vector<VerdictFigure> figures;
  std::string note;  ///< that the warm-up is left out, or which of several GPUs it is about; mostly empty
};

/// What was found, translated: "Sync-bound", "Waits for rank 1".
inline std::string verdict_title(const Verdict& verdict) {
  return verdict.title.empty() ? std::string(verdict_title(verdict.kind)) : verdict.title;
}

/// For a trace with one GPU, that GPU's; with several, the result of over_gpus().
struct Summary {
  Nanoseconds from_ns = 0, to_ns = 0;  ///< the window: as requested, cut to what is known
  Nanoseconds rare_ns = 0;             ///< how much of it is rare and left out of all figures (once.h)
  /// The CPU's iterations that lie completely in the window. While the launch queue fills, they take only as long as
  /// issuing. The time per iteration, and the basis of factors, is `pace`.
  DurationStats iteration;
  Pace pace;
  /// Not everything was recorded (trace/coverage.h). Then the figures of the GPU, launches, operations, copies and
  /// run-ahead are those of `recorded_ns`, and shares are of it. Where at least kFewestWhole iterations lie wholly in
  /// recorded time, it is the time of these, so that the figures are those of whole iterations: what recording cuts off
  /// counts for nothing. Otherwise it is all recorded time; a bubble cut by its edge counts as far as it is known, with
  /// an unknown cause (StartOrEnd), and there is no verdict. Iterations, waits and synchronisations are always those of
  /// the whole window.
  bool in_parts = false;
  Nanoseconds recorded_ns = 0;           ///< window_ns(), unless in_parts
  std::int64_t recorded_iterations = 0;  ///< in_parts: the iterations that lie wholly in recorded time
  /// in_parts: what recording adds to an iteration (WatchedPace). It is taken off the recorded time and off the gaps
  /// that grow with it, of which `idle_kept` is left; the time per iteration is that of iterations that were not
  /// recorded. 0: it does not show, and nothing is taken off.
  Nanoseconds recording_adds_ns = 0;
  Nanoseconds taken_off_ns = 0;  ///< in all
  double idle_kept = 1;
  Nanoseconds gpu_busy_ns = 0;      ///< union over all GPU lanes
  Nanoseconds kernel_ns = 0;        ///< union over the kernel lanes
  Nanoseconds exposed_copy_ns = 0;  ///< gpu_busy_ns - kernel_ns
  /// Waiting, copying and returning of blocking calls, per thread, cut to the window. Nested calls on a thread count
  /// once. Not a loss by itself: the GPU may have been busy meanwhile.
  Nanoseconds host_wait_ns = 0;
  /// Waiting for other threads of the program (trace::is_host_wait), per thread, cut to the window.
  Nanoseconds loader_wait_ns = 0;
  std::int64_t sync_count = 0;    ///< calls with kSyncFlag that start in the window
  std::int64_t launch_count = 0;  ///< kernel launches (cudaLaunchKernel) that start in the window
  std::int64_t gpu_op_count = 0;  ///< operations that start in the window
  std::int64_t cpu_op_count = 0;  ///< ops computed by a CPU device that start in the window
  Nanoseconds bubble_ns = 0;      ///< of all causes
  CauseTimes bubble_by_cause_ns{};
  std::int64_t bubble_count = 0;
  std::int64_t h2d_bytes = 0, d2h_bytes = 0;  ///< for a copy cut by the window, the share of its time inside
  Nanoseconds h2d_ns = 0, d2h_ns = 0;         ///< union of the copies in that direction
  /// Operations issued and not yet finished, averaged over time. An operation counts from the start of the call that
  /// issued it (or its own start if that call is not in the trace) until it ends. Calls without an operation in the
  /// trace do not count.
  double run_ahead_mean = 0;
  std::int64_t run_ahead_max = 0;
  Judged judged;
  Verdict verdict;
  std::size_t gpu_count = 1;                      ///< number of GPUs that the figures cover
  trace::GpuNumber verdict_gpu = trace::kNobody;  ///< with several GPUs, the one that the verdict is for
  std::string verdict_gpu_name;                   ///< its gpu_name(); empty with a single GPU

  /// The time of the figures.
  Nanoseconds window_ns() const { return to_ns - from_ns - rare_ns; }
  /// The time of which the GPU's figures are shares.
  Nanoseconds gpu_window_ns() const { return in_parts ? recorded_ns : window_ns(); }
  /// The iterations over which launches, operations and copies are counted; 0: per iteration they are unknown.
  std::int64_t gpu_iterations() const;
  /// A part of gpu_window_ns(), per iteration; 0: unknown. With `in_parts`, its share of the mean iteration, since
  /// those that lie wholly in recorded time are shorter than the others if the loop waits only now and then.
  double gpu_time_per_iteration(Nanoseconds part) const;
  /// What is left of a gap, see idle_kept.
  double kept(BubbleCause cause, Nanoseconds ns) const {
    return grows_with_recording(cause) ? idle_kept * static_cast<double>(ns) : static_cast<double>(ns);
  }
  /// How much of the window the GPU's figures are from; 1 unless in_parts.
  double recorded_share() const {
    if (!in_parts || window_ns() <= 0) return 1;
    return static_cast<double>(recorded_ns + taken_off_ns) / static_cast<double>(window_ns());
  }
  /// Rate while copying, in 1e9 bytes per second; 0 without copies.
  double h2d_gb_per_s() const { return h2d_ns > 0 ? static_cast<double>(h2d_bytes) / static_cast<double>(h2d_ns) : 0; }
  double d2h_gb_per_s() const { return d2h_ns > 0 ? static_cast<double>(d2h_bytes) / static_cast<double>(d2h_ns) : 0; }
};

/// Iterations of which none computes anything, because each raises an error before its first operation, have trained no
/// samples: there is no rate, and no factor.
bool computes(const Summary& summary);
/// As that of their paces; not comparable where samples are known and one of the two computes nothing.
Gain gain_between(const Summary& first, double first_samples, const Summary& second, double second_samples);

/// "from 10 % of the time", for the GPU's figures; empty if everything was recorded.
std::string recorded_text(const Summary& summary);
/// The number in it: "10", "0.4".
std::string recorded_percent(const Summary& summary);

/// A range as people know it: PyTorch's operator "aten::_local_scalar_dense" is what .item() calls.
std::string_view range_text(std::string_view range);

/// A share of 0 to 1 in percent, for sentences.
int whole_percent(double share);

/// Analyses [from, to) of a trace, cut to what is kept and complete. Cost grows with the number of events; with several
/// GPUs, a process's calls count once for each of its GPUs. If `stop` is set meanwhile, returns soon with meaningless
/// figures.
Summary analyse(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop = nullptr);
/// The same for each GPU of the trace (trace::Owners::gpus), as if there were only this GPU and the CPU lanes of the
/// process that uses it. A launch counts as run-ahead of the GPU that runs its operation.
std::vector<Summary> analyse_gpus(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                  const std::atomic<bool>* stop = nullptr);
/// Summarises several GPUs. `whole` covers all lanes together. It provides what is counted on the CPU side (calls,
/// operations, bytes) and the run-ahead of all GPUs together. From the individual GPUs:
/// - GPU time has equal weight: busy, kernel, exposed copy and bubble times, and the waits and synchronisations of the
///   processes, are the window, times their share of all GPUs' windows, so that they remain shares of the window, and
///   numbers per iteration. The numbers of bubbles and the copy times are summed, so that a rate is that of one link;
/// - verdicts cannot be averaged: the verdict is that of the GPU that idles most in its judged stretch (the first of
///   equals), where the most can be gained. `judged`, the iterations and the pace are of this GPU, too, and a note
///   names it.
/// With fewer than two GPUs, returns `whole` unchanged.
Summary over_gpus(Summary whole, std::span<const Summary> gpus, const trace::Owners& owners);
/// Adds the name of the verdict's GPU to its note; judge() does this, too.
void say_whose(Summary& summary);
/// The displayed name of one of several GPUs: "rank 3" in a job, "GPU 1 of rank 3" if a rank has several; else "GPU 1"
/// or, if processes use the same number, "GPU 0 of process 8".
std::string gpu_name(const trace::Owners& owners, trace::GpuNumber gpu);

// The thresholds of the verdict.

/// Below a tenth, the gain from removing all bubbles is within the variation between runs, and the GPU sets the pace:
/// no change on the CPU side can gain more than that.
inline constexpr double kIdleMatters = 0.10;
/// Some copying is part of the work. From a quarter of the time on, overlapping it with kernels is worth a change, also
/// where the GPU is always busy.
inline constexpr double kExposedCopyMatters = 0.25;

/// Sets `verdict` from `judged` (or, if that is empty, from the window without its StartOrEnd parts):
/// - CPU only: there are complete iterations and ops of a CPU device, but neither GPU work nor a launch (without such
///   ops, the capture may simply be missing);
/// - Unknown: recorded in parts, and fewer than kFewestWhole iterations lie wholly in one of them; or
/// - Unknown: otherwise without GPU work; or, without iterations, GPU work in less than a hundredth of the time; or
/// idle for a tenth or more, with a known cause for less than a tenth, or
///   without one for half as long as the largest known one;
/// - Race: something was read too early: no speed matters before that;
/// - Rank-bound: waiting for another GPU in collectives takes a tenth or more, and more than any cause of idle time;
/// - idle < 10 %: GPU-bound, or copy-bound if copies alone take a quarter of the time or more;
/// - otherwise the largest group of causes: after a sync; launch too slow (CPU-bound, if more than half of it is the
///   program's own work); waiting for data; delayed by copies, including copies without a concurrent kernel if those
///   take a quarter of the time or more.
void judge(Summary& summary);

}  // namespace lanescope::analysis
