// How long an iteration takes: the only place that decides whether a stretch of a run shows it.
//
// While the launch queue fills, a CPU iteration takes only as long as issuing its work, which does not show how long
// the work takes. A factor, a time or a rate is therefore based on a Pace, never on CPU iterations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace lanescope::analysis {

using base::Nanoseconds;

struct TimeSpan {
  Nanoseconds from = 0, to = 0;

  Nanoseconds length() const { return to - from; }
  bool operator==(const TimeSpan&) const = default;
};

enum class PaceBasis : std::uint8_t {
  None,        ///< no iterations, or a single one of a run
  Elapsed,     ///< from the first iteration until the GPU has finished the run: what a stopwatch shows
  Steady,      ///< whole periods of a run in progress, over which the launch queue neither grows nor shrinks
  QueueMoves,  ///< the launch queue fills or drains: no value
  NoPeriod,    ///< the loop waits for the GPU from time to time, and not even one period has passed: no value
};
std::string_view basis_key(PaceBasis basis);  ///< the key in JSON: "queue-fills"
/// "by elapsed time", "over whole steady periods", "the launch queue still fills", ...; translated.
std::string basis_text(PaceBasis basis);

struct Pace {
  PaceBasis basis = PaceBasis::None;
  double ns = 0;                ///< per iteration; 0 unless Elapsed or Steady
  std::int64_t iterations = 0;  ///< the number of iterations it is based on
  Nanoseconds from_ns = 0, to_ns = 0;
  /// How far the queue filled and drained meanwhile, relative to the operations issued. Above kQueueMoved, the CPU's
  /// iterations measure issuing (and waiting for earlier work).
  double queue_moved = 0;
  /// The loop repeats after this many iterations, as far as its program says; 1: not known, or every iteration is
  /// alike.
  std::int64_t period = 1;

  bool known() const { return ns > 0; }
  bool queue_is_steady() const { return queue_moved <= kQueueMoved; }
  static constexpr double kQueueMoved = 0.1;
};

/// Why a pace is unknown: "a whole period takes 100 iterations; 37 so far".
std::string why_unknown(const Pace& pace);

/// The basis of a factor between them: "by elapsed time", or both if they differ. Empty if there is no factor.
std::string factor_basis(const Pace& first, const Pace& second);

/// How much faster one run is than another, for the same work. The only place that decides what equal work is.
struct Gain {
  double factor = 0;        ///< how many times as fast the second is; 0: a pace is unknown, or nothing to compare
  bool per_sample = false;  ///< their iterations have different numbers of samples
  bool comparable = true;   ///< false: their iterations do different work, and nothing says how much

  bool known() const { return factor > 0; }
};
/// A pace, and the samples of an iteration (the batch size). 0: not known; negative: so many, but they do not tell its
/// work (trace::batch_tells_work).
Gain gain_between(const Pace& first, double first_samples, const Pace& second, double second_samples);
/// The factor for iterations that take so long, if the second does `work` times as much as the first; 0: unknown.
double factor_between(double first_ns, double second_ns, double work);
/// How many times as many samples an iteration of the second has; 1 if either is not known; 0: more or fewer that do
/// not tell its work.
double work_between(double first_samples, double second_samples);
/// "per iteration", "per sample"; translated.
std::string_view of_what(const Gain& gain);

/// An iteration, with totals at its end.
struct LoopStep {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;  ///< iterations ended so far; consecutive steps may skip some
  std::int64_t sync_count = 0, launch_count = 0, gpu_op_count = 0;
  std::int64_t in_flight = 0;  ///< operations issued and not finished
  /// Not everything was recorded, so some iterations may be unknown. They lie where two known ones are further apart
  /// than one lasts, and that time does not count.
  bool in_parts = false;

  Nanoseconds duration() const { return end_ns - start_ns; }
};

/// For a stretch of a run, from the end of steps[base] to the end of the last step, or the whole periods in it. The
/// steps before `base` show what the stretch is too short to show; if it is shorter than a period, it is extended to
/// them.
///
/// `period` above 1: the loop repeats after so many iterations, and less than one period has no pace. Otherwise a
/// period lasts from one iteration that waits for the GPU (or launches something that most do not) to the next.
Pace steady_pace(std::span<const LoopStep> steps, std::size_t base, std::int64_t period = 1);
/// For a finished run, from the end of the first step (the start of its first iteration) until the GPU had finished.
/// Empty if that is not what the stretch covers: the queue held work at its start, or `outstanding` operations never
/// arrived.
std::optional<Pace> elapsed_pace(std::span<const LoopStep> steps, Nanoseconds end_ns, std::int64_t outstanding);

/// Leaves out what is rare (once.h): the steps are as if those after the beginning of each span, up to its end, had
/// never been made. Work that was in flight when a span began, and not any more at its end, has been done in it.
class Splice {
 public:
  Splice(std::vector<LoopStep>& steps, std::span<const TimeSpan> without);
  Nanoseconds within(Nanoseconds t) const;  ///< on the clock of the steps that are left
  Pace back(Pace pace) const;               ///< its stretch, on the clock of the trace
  std::int64_t unfinished() const { return std::abs(gained_); }

 private:
  std::vector<TimeSpan> without_;
  std::int64_t gained_ = 0;  // operations in flight
};

}  // namespace lanescope::analysis
