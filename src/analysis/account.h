// The single path from a trace to its figures, verdict, time per iteration and advice cards. The window (live and
// opened), the command line, the page, predictions and comparisons all use it, so that the same trace gives the same
// answer everywhere. warm_up.h decides what is left out as warm-up, pace.h what an iteration takes.
//
//   a finished run, a file    account_of(), advice_for()
//   a run in progress         recent_account(), and plan_advice() for the same stretch
//
// Both use a LiveAnalysis, whose figures are the same whether it followed the trace or read it at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/advisor.h"
#include "analysis/live_analysis.h"
#include "analysis/once.h"

namespace lanescope::analysis {

/// What is known about a run beyond its trace.
struct RunConditions {
  bool real_time = false;  ///< on a real device, where the first iteration loads code
  /// The peak rates of the link with pinned memory, in 1e9 bytes per second; 0: unknown.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  Link link{};                ///< for replays: the first of them, or what is usual for the GPU's model
  bool workers_kept = false;  ///< the data loader's workers stay from epoch to epoch; false also if that is not known
  /// Another program's, or a recording of which no more is known: a prediction is a replay of it (replay.h), and since
  /// it may have begun at any time, the first iteration is left out only if it is slow.
  bool replay = false;
  Nanoseconds clock_error_ns = 0;  ///< of a trace put together from several: how well their clocks agree; 0: one clock
};

struct Account {
  /// From the start of the first iteration to the end of the trace; without iterations, the whole trace. Of another
  /// program (`replay`): the stretch of the verdict, so that all figures are of one. What its profiler did before and
  /// after is not the program's. (Without iterations, only times are: calls and operations are those of the trace.)
  Summary summary;
  /// The duration of the first iteration, if `summary` and `elapsed_ns` exclude it.
  std::optional<Nanoseconds> warm_up_ns;
  /// From the same start until the GPU has finished the loop's work; where that is not known, until everything has
  /// ended except threads that only serve the loop; without iterations, the whole trace. With what is rare.
  Nanoseconds elapsed_ns = 0;
  /// Of another program with iterations: `summary` is of the steady part. (Our own workloads' figures are what a
  /// stopwatch around the loop shows.)
  std::optional<Once> once;
};
/// For the whole trace. If the analysis has dropped records and nothing was evicted, a second pass over the trace makes
/// the time per iteration and the percentiles exact.
Account account_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunConditions& run);

/// In a job, waiting for another GPU in collectives is no work: notes how long a GPU waits, of the collectives of the
/// judged stretch (in parts: of what was recorded of it, `known_ns`), and judges again if it matters.
void judge_job(Summary& summary, const Collectives& all, Nanoseconds known_ns);

/// The recent stretch of a run in progress, with the current settings.
struct Recent {
  Summary summary;             ///< iteration.count 0: no iteration has ended yet
  Nanoseconds settled_ns = 0;  ///< start of the iterations with the current settings
  /// The summary describes the loop with its current settings. A filling queue is a state of the loop and counts; an
  /// unfinished period does not.
  bool current = false;
};
/// The last `span_ns` before `edge`, or the last 20 iterations if they take longer; at most 20,000 iterations. The
/// stretch is cut or extended to whole periods, see steady_pace(), whose `period` this is. `analysis` must have been
/// updated to `edge`.
Recent recent_account(const LiveAnalysis& analysis, Nanoseconds edge, Nanoseconds span_ns, std::int64_t period = 1);

/// Selects the newest iterations that lie completely in [from_ns, to_ns), with limits on iterations and events.
struct NewestIterations {
  Nanoseconds from_ns = std::numeric_limits<Nanoseconds>::min(), to_ns = std::numeric_limits<Nanoseconds>::max();
  std::size_t most_iterations = std::numeric_limits<std::size_t>::max();
  std::int64_t most_events = std::numeric_limits<std::int64_t>::max();
  bool from_the_start = true;  ///< see warm_up_count()
  bool without_rare = false;   ///< of another program: see once.h
};
/// From the start of the first such iteration to the end of the last, without the run's warm-up. At least one
/// iteration; empty if there is none. Costs a few searches.
std::optional<std::pair<Nanoseconds, Nanoseconds>> steady_stretch(const trace::Trace& trace,
                                                                  std::span<const IterationRecord> records,
                                                                  const NewestIterations& which = {});

/// What the cards describe: a steady stretch, and facts about the run.
struct AdvicePlan {
  Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t warm_up = 0;  ///< iterations left out at the start of the run
  Nanoseconds warm_up_from_ns = 0, warm_up_to_ns = 0;
  Nanoseconds warm_up_ns = 0;  ///< the sum of their durations
  RunConditions run;
  trace::GpuNumber gpu = trace::kNobody;  ///< with several GPUs, the one whose verdict is shown
  std::vector<TimeSpan> rare;             ///< left out, as in Judged
};
/// For a finished run: limits so that reading takes about a second.
inline constexpr NewestIterations kAdvised{.most_iterations = 2000, .most_events = 2'000'000, .without_rare = true};
/// Empty if there is no iteration to base advice on. The trace is read later, by advise(). `gpu`: verdict_gpu of the
/// displayed summary; `records`: LiveAnalysis::records() of that GPU.
std::optional<AdvicePlan> plan_advice(const trace::Trace& trace, std::span<const IterationRecord> records,
                                      const RunConditions& run, const NewestIterations& which = kAdvised,
                                      trace::GpuNumber gpu = trace::kNobody);
/// The cards and their evidence. Any thread, even while the trace grows.
Advice advise(const trace::Trace& trace, const AdvicePlan& plan, const std::atomic<bool>* stop = nullptr);
/// What the edits would gain, from the iterations that advice is based on.
WhatIf what_if(const trace::Trace& trace, std::span<const IterationRecord> records, std::span<const Edit> edits,
               const RunConditions& run, trace::GpuNumber gpu);
/// What it assumes about the link; empty: nothing.
std::string assumption_of(const WhatIf& answer);
/// Both steps, for a finished run.
Advice advice_for(const trace::Trace& trace, std::span<const IterationRecord> records, Nanoseconds to,
                  const RunConditions& run = {}, const std::atomic<bool>* stop = nullptr,
                  trace::GpuNumber gpu = trace::kNobody);

}  // namespace lanescope::analysis
