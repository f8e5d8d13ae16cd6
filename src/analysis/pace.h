// What an iteration takes: the one place that decides whether a stretch of a run says so.
//
// While the launch queue fills, an iteration of the CPU takes as long as issuing it does, and says nothing of how long
// the work takes. A factor, a time or a rate is therefore of a Pace, never of the CPU's iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::analysis {

using base::Nanoseconds;

enum class PaceBasis : std::uint8_t {
  None,        ///< no iterations, or a single one out of a run
  Elapsed,     ///< from the first iteration to the end of the run, when the GPU is through: what a stopwatch shows
  Steady,      ///< whole periods of a run that goes on, over which the launch queue neither grows nor shrinks
  QueueMoves,  ///< the launch queue fills or drains: there is no number
  NoPeriod,    ///< the loop waits for the GPU now and then, and not one period of that has passed: no number either
};
std::string_view basis_key(PaceBasis basis);  ///< "queue-fills": in JSON
/// "by elapsed time", "over whole steady periods", "the launch queue still fills", ...; translated.
std::string basis_text(PaceBasis basis);

struct Pace {
  PaceBasis basis = PaceBasis::None;
  double ns = 0;                ///< per iteration; 0 unless Elapsed or Steady
  std::int64_t iterations = 0;  ///< that it is of
  Nanoseconds from_ns = 0, to_ns = 0;
  /// By how much the queue filled and drained meanwhile, of the operations that were issued. Above kQueueMoved the
  /// CPU's own iterations are times of issuing (and of waiting for what was issued before).
  double queue_moved = 0;

  bool known() const { return ns > 0; }
  bool cpu_iterations_tell() const { return queue_moved <= kQueueMoved; }
  static constexpr double kQueueMoved = 0.1;
};

/// How many times as fast the second is; 0 when either is not known.
double factor_between(const Pace& first, const Pace& second);
/// What a factor between them is of: "by elapsed time"; where they differ, both. Empty when there is no factor.
std::string factor_basis(const Pace& first, const Pace& second);

/// An iteration, with what had added up by its end.
struct LoopStep {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;  ///< how many had ended; those between two steps may be left out
  std::int64_t sync_count = 0, launch_count = 0, gpu_op_count = 0;
  std::int64_t in_flight = 0;  ///< operations issued and not finished

  Nanoseconds duration() const { return end_ns - start_ns; }
};

/// Of a stretch out of a run: from the end of steps[base] to the end of the last one, or the whole periods in it. A
/// period is from one iteration that waits for the GPU (or launches something that most do not) to another. Where there
/// are no two such iterations in the stretch, it is extended over steps before `base`.
Pace steady_pace(std::span<const LoopStep> steps, std::size_t base);
/// Of a run from the end of the first step (where its first iteration begins) to its end, when the GPU was through.
/// Empty when it was not: the queue held work when the stretch began, or `outstanding` operations never came.
std::optional<Pace> elapsed_pace(std::span<const LoopStep> steps, Nanoseconds end_ns, std::int64_t outstanding);

}  // namespace lanescope::analysis
