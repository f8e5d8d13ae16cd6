// The cost of each statement of a program: the CPU's own time, its waiting, and the GPU time of the work it issues.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/evidence.h"

namespace lanescope::analysis {

/// The ranges of the program's thread by which a statement is recognised.
struct StatementRanges {
  std::vector<std::string> names;
  /// Only the copies and synchronisations in them; other calls belong to another statement with the same ranges.
  bool transfers = false;
};

/// All times are cut to the stretch.
struct StatementCost {
  std::int64_t count = 0;   ///< ranges that start in the stretch; with `transfers`, calls
  Nanoseconds cpu_ns = 0;   ///< in its ranges, excluding waits and other statements' ranges within them
  Nanoseconds wait_ns = 0;  ///< waiting, copying and returning of its calls, and waits for other threads
  /// Time in which its work was running, even if issued before the stretch. A union per statement, so concurrent
  /// kernels count once. Work issued by two statements counts for both.
  Nanoseconds gpu_ns = 0;
  Place example;  ///< the longest range that starts in the stretch; with `transfers`, the longest call

  Nanoseconds host_ns() const { return cpu_ns + wait_ns; }
};

struct StatementCosts {
  Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;            ///< whole iterations in the stretch
  std::vector<StatementCost> statements;  ///< in the given order

  double per_iteration(Nanoseconds ns) const {
    return iterations > 0 ? static_cast<double>(ns) / static_cast<double>(iterations) : 0;
  }
};

/// For [from, to), which should start and end with an iteration, and for threads with iterations. If several statements
/// list the same range, an iteration's first range of that name belongs to the first statement, the next one to the
/// second, and all remaining ones to the last. Cost grows with the number of events. Returns nothing (0 iterations) if
/// `stop` is set meanwhile.
StatementCosts statement_costs(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                               std::span<const StatementRanges> statements, const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
