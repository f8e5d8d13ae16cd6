// The advisor: what makes the GPU idle, where, at what cost, and what would help. It applies rules to the evidence; a
// rule that does not apply produces no card.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/collectives.h"
#include "analysis/evidence.h"
#include "analysis/replay.h"

namespace lanescope::analysis {

/// The rules. docs/manual.md describes when each triggers, by its key.
enum class Rule : std::uint8_t {
  HarmlessWait,     ///< A1: the CPU waits while the GPU is busy
  SyncBubble,       ///< A2: a wait drains the queue, and the GPU idles until the next launch
  StarvedByCpu,     ///< A3: the CPU computes and launches too late
  LaunchBound,      ///< A4: kernels are shorter than their launches
  GpuBound,         ///< A5: the GPU sets the pace
  PageableCopy,     ///< A6: an asynchronous copy from pageable memory blocks the CPU
  PinningChurn,     ///< A7: memory is pinned in the steady state
  NoOverlap,        ///< A8: copies from pinned memory do not overlap with kernels
  SlowLink,         ///< A9: large copies are far below the rate of the link
  ManySmallCopies,  ///< A10: many small copies in one iteration
  NeedlessSync,     ///< A11: waits with nothing to wait for
  RepeatedSync,     ///< A12: several reads at the same place per iteration
  DependentSync,    ///< A13: reads whose values decide what is launched next
  LoaderWait,       ///< A14: the program waits for its data loader
  FirstBatch,       ///< A15: few waits for data are far longer than the others
  StaleRead,        ///< A16: memory was read before the copy into it had ended
  MeasuringError,   ///< A17: a stopwatch without a synchronisation, or one that includes the warm-up
  Straggler,        ///< A18: the other GPUs wait for one that arrives last in most collectives
  UnevenWork,       ///< A19: the GPUs wait for each other in turn
  BareTransfer,     ///< A20: collectives transfer while no kernel computes
  SlowExchange,     ///< A21: the GPUs' links carry far less than those of others, or than any link between GPUs should
};
inline constexpr std::size_t kRules = 21;
std::string_view rule_key(Rule rule);  ///< the key in JSON: "sync-bubble"

/// What the user could do about it. The workload knows which setting does it.
enum class Remedy : std::uint8_t {
  None,
  ReadLessOften,  ///< every N iterations, or never
  ReadOnce,       ///< one read of several combined values
  DecideOnGpu,    ///< torch.where, a fixed count, a test every k steps
  FewerLaunches,  ///< larger batch, fused operations, a CUDA graph
  LessCpuWork,    ///< between the read and the next launch
  PinMemory,      ///< once, and reuse it
  PinAhead,       ///< pin in a separate thread, or use a pool
  NonBlocking,    ///< non_blocking=True on pinned memory
  CopyStream,     ///< a second stream, one batch ahead
  PackCopies,     ///< one copy instead of many
  MoreWorkers,    ///< workers and prefetch of the data loader
  KeepWorkers,    ///< persistent workers
  WaitForCopy,    ///< an event or a synchronisation before the read
  SyncToMeasure,  ///< synchronise before starting and before stopping a stopwatch
};

enum class Weight : std::uint8_t {
  Wrong,     ///< a result is wrong
  Costs,     ///< time is lost: cost_ns
  Harmless,  ///< worth knowing, but changing it gains nothing
};

std::string_view weight_key(Weight weight);  ///< "wrong", "costs", "harmless"

struct Card {
  Rule rule = Rule::GpuBound;
  Weight weight = Weight::Costs;
  /// An upper bound of the time an iteration could save: GPU idle time, never the sum of waits. The wait may reappear
  /// at the next blocking call.
  double cost_ns = 0;
  double share = 0;  ///< of an iteration's time
  /// 1 if the trace shows the cause itself, less if it is inferred.
  double confidence = 1;
  std::string range;         ///< the range of the program in which it happens: "item()"; empty: unknown or everywhere
  std::string call;          ///< "cudaStreamSynchronize"
  double per_iteration = 0;  ///< calls per iteration
  Place place;               ///< an example: the most expensive one
  std::string title;         ///< "item() drains the GPU"
  std::string what;          ///< one or two sentences with the figures
  std::string fix;           ///< one sentence
  std::vector<Remedy> remedies;
  /// What its cure would gain, as far as a replay can tell. Empty: it was not asked.
  std::optional<AskedWhatIf> what_if;
  std::string gain;   ///< that in words; may be empty
  std::string paste;  ///< see fix_for(); may be empty
};

/// The thresholds of all rules. Shares are of the iterations' time. Where a comment names another tool, it uses the
/// same value.
namespace limits {
inline constexpr double kCostMatters = 0.02;         ///< less than this is within the variation between runs
inline constexpr double kCostShown = 0.01;           ///< a card that costs something, but less, is none
inline constexpr double kWaitMatters = 0.05;         ///< A1
inline constexpr double kBusyMeanwhile = 0.90;       ///< A1: share of a wait
inline constexpr double kLaunchCalls = 0.10;         ///< A4: share of time in launch calls (NVIDIA's host analysis: >
                                                     ///< 10 %)
inline constexpr double kLaunchIdle = 0.30;          ///< A4: idle share, in addition (NVIDIA's host analysis: > 30 %)
inline constexpr double kGpuBound = 0.95;            ///< A5: busy share
inline constexpr double kFullQueue = 0.05;           ///< A5: or launches wait this share of the time because the queue
                                                     ///< is full
inline constexpr double kHeldOfCopy = 0.5;           ///< A6: share of the copy for which the call blocked the CPU
inline constexpr Nanoseconds kHeldNs = 20'000;       ///< A6: or blocked for this long
inline constexpr double kPinning = 0.02;             ///< A7
inline constexpr double kOverlapped = 0.20;          ///< A8: less than this share of the copying overlaps with kernels
inline constexpr double kCopiesMatter = 0.05;        ///< A8
inline constexpr double kOfPeak = 0.5;               ///< A9: of the link's calibrated rate
inline constexpr std::int64_t kLargeCopy = 1 << 20;  ///< A9: bytes
inline constexpr double kChatty = 8;                 ///< A10: small copies per iteration
inline constexpr double kNeedless = 0.5;             ///< A11: share of the synchronisations at a place
inline constexpr double kRepeated = 1.5;             ///< A12: reads per iteration at a place
inline constexpr double kDependent = 2.5;            ///< A13: reads per iteration that a launch follows at once
inline constexpr double kLoaderWait = 0.05;          ///< A14 (TensorBoard's profiler plug-in: > 5 %)
inline constexpr double kFewWaits = 0.25;            ///< A15: of the iterations
inline constexpr double kStraggler = 0.6;            ///< A18: share of the collectives in which one GPU is the last
inline constexpr double kBareTransfer = 0.05;        ///< A20
inline constexpr std::uint64_t kLargeExchange = 4'000'000;  ///< A21: bytes; shorter ones are latency
inline constexpr double kUnequalRates = 2;                  ///< A21: between the groups of one job
/// A21: bytes per second. About what PCIe 3.0 x16 gives (the profiles' 12 to 13.4 GB/s from pinned memory).
inline constexpr double kSlowExchange = 12e9;
inline constexpr double kWarmUpTimed = 0.05;  ///< A17: the warm-up's excess time, as a share of the displayed
                                              ///< time
}  // namespace limits

/// Facts that the evidence does not contain.
struct AdviceContext {
  /// The peak rates of the link with pinned memory, in 1e9 bytes per second; 0: unknown, so A9 does not apply.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  /// The iterations left out as warm-up, and how much longer than usual they took in total.
  Nanoseconds warm_up_from_ns = 0, warm_up_to_ns = 0, warm_up_excess_ns = 0;
  bool workers_kept = false;  ///< as in RunConditions: A15 does not apply
  std::string gpu{};          ///< with several GPUs, the one these cards are for, named in their titles: "GPU 1"
};

/// Wrong results first, then by cost, then harmless ones.
void sort_cards(std::vector<Card>& cards);
/// In that order.
std::vector<Card> advise(const Evidence& evidence, const base::NameTable& names, const AdviceContext& context = {});

/// The cards of a run, and the iterations they describe.
struct Advice {
  std::int64_t iterations = 0;
  std::int64_t warm_up = 0;  ///< iterations left out at the start
  /// Of these iterations, with all causes. Includes waits, copies without a kernel, and run-ahead.
  Summary summary;
  trace::GpuNumber gpu = trace::kNobody;  ///< with several GPUs, the one that the cards are for
  std::vector<Card> cards;
};

/// What can be done about collectives with nothing beside them.
std::string bare_transfer_fix();

// --- job advice ------------------------------------------------------------------------------------------------------
// The advisor's rules about several GPUs that wait for each other.

/// What the rules look at: the collectives of a stretch with whole iterations.
struct JobStretch {
  Nanoseconds from_ns = 0, to_ns = 0;
  Nanoseconds recorded_ns = 0;  ///< of that, as in Evidence::span_ns(), and of all GPUs
  std::int64_t iterations = 0;
  double iteration_ns = 0;  ///< the mean
};

/// In no order. None without collectives of two or more GPUs, or if those say too little of who arrived last.
std::vector<Card> job_cards(const trace::Trace& trace, const Collectives& collectives, const JobStretch& stretch,
                            const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
