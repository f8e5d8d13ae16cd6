// The only place that decides how much of a run's start is left out, and for which purpose.
//
// The first iteration of a run sets up what the others use: it allocates memory and, on a real device, loads code. The
// next few may also be slow. There is one rule for each of three purposes:
// - the verdict leaves out a first iteration that would distort it (distorts_verdict);
// - figures and the time per iteration are what a stopwatch around the loop shows, so they leave out only a first
//   iteration that loaded code (loaded_code);
// - cards, tables and typical iterations describe the steady state (steady_records).
// A change of settings has the same effect, see settled_from().
// Another place leaves something out without knowing the later iterations: a workload's own figures restart after the
// first iteration on a real device (workload::Runner).
#pragma once

#include <optional>
#include <span>

#include "analysis/live_analysis.h"

namespace lanescope::analysis {

/// True if the first iteration takes more than twice the mean of at least three others. `others_ns` is their total
/// time.
bool distorts_verdict(Nanoseconds first_ns, std::int64_t others, Nanoseconds others_ns);

/// True if the first of at least ten `iterations` takes at least five times the median (`median_ns`). For real devices
/// only: a simulated one has no code to load.
bool loaded_code(Nanoseconds first_ns, std::int64_t iterations, Nanoseconds median_ns);

/// The number of warm-up iterations at the start of `records`: the first one, and those after it for as long as they
/// take more than twice the median; at most a quarter of all. Considers only the first 1,000. 0 if there are fewer than
/// four. Not `from_the_start`: the recording began in a program that was already running, so the first one is like the
/// others unless it is slow, too.
std::size_t warm_up_count(std::span<const IterationRecord> records, bool from_the_start = true);
/// The records without the run's warm-up. If the first record was dropped (long runs are thinned out), all of them.
std::span<const IterationRecord> steady_records(std::span<const IterationRecord> records, bool from_the_start = true);

/// The start of the iterations with the current settings. The first one with new settings also sets up what they need;
/// it is left out once two more have ended. Until the GPU has done what was in flight when they changed, it works for
/// the old ones: that is left out, too.
struct Settled {
  Nanoseconds from_ns = 0;
  bool settled = false;  ///< the first iteration is left out
};
/// `changed_ns`: the last change of settings; empty: never. `records` must not be empty.
Settled settled_from(std::span<const IterationRecord> records, std::optional<Nanoseconds> changed_ns);

}  // namespace lanescope::analysis
