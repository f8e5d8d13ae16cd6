// What each statement of a program costs: the CPU's own time, its waiting, and the GPU time of the work it issues.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/evidence.h"

namespace lanescope::analysis {

/// By which ranges of the program's thread a statement is known.
struct StatementRanges {
  std::vector<std::string> names;
  /// Only the copies and synchronisations in them; their other calls are of another statement that names them.
  bool transfers = false;
};

/// Within the stretch: what lies outside of it is cut off.
struct StatementCost {
  std::int64_t count = 0;   ///< ranges that start in the stretch; with `transfers`, calls
  Nanoseconds cpu_ns = 0;   ///< in its ranges, without the waits and the ranges of other statements within them
  Nanoseconds wait_ns = 0;  ///< the waiting, copying and returning of its calls, and waits for other threads
  /// In which work that it has issued, before the stretch too, was running: a union per statement, so that kernels that
  /// run beside each other count once. What two statements have issued counts for both.
  Nanoseconds gpu_ns = 0;
  Place example;  ///< the longest range that starts in the stretch; with `transfers`, the longest call

  Nanoseconds host_ns() const { return cpu_ns + wait_ns; }
};

struct StatementCosts {
  Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;            ///< that lie in the stretch as a whole
  std::vector<StatementCost> statements;  ///< as they were given

  double per_iteration(Nanoseconds ns) const {
    return iterations > 0 ? static_cast<double>(ns) / static_cast<double>(iterations) : 0;
  }
};

/// Of [from, to), which should begin and end with an iteration. Ranges are those of the threads that have iterations.
/// Where several statements name a range, they take turns within an iteration: the first such range is of the first of
/// them, and what remains of the last. Cost grows with the events in the stretch; nothing (0 iterations) when `stop` is
/// set meanwhile.
StatementCosts statement_costs(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                               std::span<const StatementRanges> statements, const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
