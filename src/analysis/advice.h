// The advisor: what makes the GPU idle, where, what it costs, and what would help. Rules over the evidence; one that
// does not apply says nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/evidence.h"

namespace lanescope::analysis {

/// The rules; docs/manual.md says when each triggers, by its key.
enum class Rule : std::uint8_t {
  HarmlessWait,     ///< A1: the CPU waits, and the GPU is busy meanwhile
  SyncBubble,       ///< A2: a wait drains the queue, and the GPU idles until the next launch
  StarvedByCpu,     ///< A3: the next launch comes late, because the CPU computes
  LaunchBound,      ///< A4: kernels are shorter than it takes to launch them
  GpuBound,         ///< A5: the GPU sets the pace
  PageableCopy,     ///< A6: an asynchronous copy from pageable memory holds the CPU
  PinningChurn,     ///< A7: memory is pinned in the steady state
  NoOverlap,        ///< A8: copies from pinned memory run beside no kernel
  SlowLink,         ///< A9: large copies are far below what the link can do
  ManySmallCopies,  ///< A10: many small copies in one iteration
  NeedlessSync,     ///< A11: waits with nothing to wait for
  RepeatedSync,     ///< A12: several reads at one place in an iteration
  DependentSync,    ///< A13: reads that decide what is launched next
  LoaderWait,       ///< A14: the program waits for its data loader
  FirstBatch,       ///< A15: one wait for data is far longer than the others
  StaleRead,        ///< A16: memory was read before the copy into it had ended
  MeasuringError,   ///< A17: a stopwatch without a synchronisation, or with the warm-up in it
};
inline constexpr std::size_t kRules = 17;
std::string_view rule_key(Rule rule);  ///< "sync-bubble": in JSON

/// What a person could do about it; which knob of a workload that is, the workload knows.
enum class Remedy : std::uint8_t {
  None,
  ReadLessOften,  ///< every N iterations, or never
  ReadOnce,       ///< one read of several values put together
  DecideOnGpu,    ///< torch.where, a fixed count, a test every k steps
  FewerLaunches,  ///< larger batch, fused operations, a CUDA graph
  LessCpuWork,    ///< between the read and the next launch
  PinMemory,      ///< once, and use it again
  PinAhead,       ///< pin in a thread of its own, or keep a pool
  NonBlocking,    ///< non_blocking=True on pinned memory
  CopyStream,     ///< a second stream, one batch ahead
  PackCopies,     ///< one copy instead of many
  MoreWorkers,    ///< workers and prefetch of the data loader
  KeepWorkers,    ///< persistent workers
  WaitForCopy,    ///< an event or a synchronisation before the read
  SyncToMeasure,  ///< a synchronisation before a stopwatch starts and before it stops
};

enum class Weight : std::uint8_t {
  Wrong,     ///< a result is wrong
  Costs,     ///< time is lost: cost_ns of it
  Harmless,  ///< worth knowing, and nothing is gained by changing it
};

std::string_view weight_key(Weight weight);  ///< "wrong", "costs", "harmless"

struct Card {
  Rule rule = Rule::GpuBound;
  Weight weight = Weight::Costs;
  /// What an iteration would at most be shorter by: GPU idle time, never the sum of waits. An upper bound: the wait may
  /// come back at the next blocking call.
  double cost_ns = 0;
  double share = 0;  ///< of an iteration's time
  /// How sure: 1 where the trace shows the cause itself, less where it is inferred.
  double confidence = 1;
  std::string range;         ///< of the program, in which it happens: "item()"; empty: not known or everywhere
  std::string call;          ///< "cudaStreamSynchronize"
  double per_iteration = 0;  ///< how often the call is made
  Place place;               ///< an example: the costliest
  std::string title;         ///< "item() drains the GPU"
  std::string what;          ///< one or two sentences with the figures
  std::string fix;           ///< one sentence
  std::vector<Remedy> remedies;
};

/// The thresholds of all rules. Shares are of the iterations' time; what a tool is named for uses the same number.
namespace limits {
inline constexpr double kCostMatters = 0.02;         ///< less than this is within what runs differ by
inline constexpr double kWaitMatters = 0.05;         ///< A1
inline constexpr double kBusyMeanwhile = 0.90;       ///< A1: of a wait
inline constexpr double kLaunchCalls = 0.10;         ///< A4: launch calls take this (NVIDIA's host analysis: > 10 %)
inline constexpr double kLaunchIdle = 0.30;          ///< A4: together with this idle share (the same: > 30 %)
inline constexpr double kGpuBound = 0.95;            ///< A5: busy
inline constexpr double kFullQueue = 0.05;           ///< A5: or launches wait this long for room in the queue
inline constexpr double kHeldOfCopy = 0.5;           ///< A6: the call held the CPU for this share of the copy
inline constexpr Nanoseconds kHeldNs = 20'000;       ///< A6: or for this long
inline constexpr double kPinning = 0.02;             ///< A7
inline constexpr double kOverlapped = 0.20;          ///< A8: less of the copying than this beside kernels
inline constexpr double kCopiesMatter = 0.05;        ///< A8
inline constexpr double kOfPeak = 0.5;               ///< A9: of the link's calibrated rate
inline constexpr std::int64_t kLargeCopy = 1 << 20;  ///< A9: bytes
inline constexpr double kChatty = 8;                 ///< A10: small copies per iteration
inline constexpr double kNeedless = 0.5;             ///< A11: of the synchronisations at a place
inline constexpr double kRepeated = 1.5;             ///< A12: reads per iteration at a place
inline constexpr double kDependent = 2.5;            ///< A13: reads per iteration that launches follow at once
inline constexpr double kLoaderWait = 0.05;          ///< A14 (the profiler plug-in of TensorBoard: > 5 %)
inline constexpr double kFirstBatch = 3;             ///< A15: times the median wait
inline constexpr double kWarmUpTimed = 0.05;         ///< A17: of what is shown, by what the warm-up took longer
}  // namespace limits

/// What the evidence cannot hold.
struct AdviceContext {
  /// What the link reaches with pinned memory, 1e9 bytes per second; 0: not known, and A9 says nothing.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  /// The iterations that were left out as warm-up, and how much longer than usual they took together.
  Nanoseconds warm_up_from_ns = 0, warm_up_to_ns = 0, warm_up_excess_ns = 0;
};

/// Wrong results first, then the costliest, then what is harmless.
std::vector<Card> advise(const Evidence& evidence, const base::NameTable& names, const AdviceContext& context = {});

/// The cards of a run, and what they are about.
struct Advice {
  std::int64_t iterations = 0;
  std::int64_t warm_up = 0;  ///< left out at the beginning
  /// Of these iterations, all causes told apart. What an iteration waits, copies without a kernel and runs ahead.
  Summary summary;
  std::vector<Card> cards;
};
/// Of the newest iterations up to `to`, at most kAdvisedIterations, without the run's warm-up.
inline constexpr std::size_t kAdvisedIterations = 2000;
Advice advice_for(const trace::Trace& trace, std::span<const IterationRecord> records, Nanoseconds to,
                  const AdviceContext& context = {}, const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
