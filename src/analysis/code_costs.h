// What each line of the watched program's source files costs: the CPU time of its calls, their waiting, and the GPU
// time of the work that they launch. A call counts once in each file that is on its stack: for the innermost line
// there. So the lines of a file add up, and a line that calls into another file has the cost of what it calls.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/evidence.h"
#include "trace/trace.h"

namespace lanescope::analysis {

struct LinePlace {
  trace::NameId file = 0;  ///< a name of the trace
  std::uint32_t line = 0;

  auto operator<=>(const LinePlace&) const = default;
};

struct LineCost {
  std::int64_t count = 0;  ///< calls that start in recorded time
  Nanoseconds cpu_ns = 0;  ///< in its calls, without waiting; in recorded time
  /// Waiting, copying and returning of its blocking calls, and waits for other threads; these are always known.
  Nanoseconds wait_ns = 0;
  /// Time in which its work was running, even if issued before the stretch; in recorded time. A union per line, so
  /// concurrent kernels count once.
  Nanoseconds gpu_ns = 0;
  Place example;  ///< its longest call, or wait for another thread
};

struct LineCosts {
  enum class Per : std::uint8_t { Iteration, Second };

  Nanoseconds from_ns = 0, to_ns = 0;
  Per per = Per::Iteration;
  std::int64_t iterations = 0;           ///< in the stretch
  std::int64_t recorded_iterations = 0;  ///< those that lie wholly in recorded time
  Nanoseconds known_ns = 0;              ///< the time in which waits counted
  Nanoseconds recorded_ns = 0;           ///< that in which CPU and GPU time counted
  std::map<LinePlace, LineCost> lines;
  std::map<trace::NameId, Nanoseconds> waiting;  ///< by file: of calls whose first frame of the user's own is there

  bool empty() const { return per == Per::Iteration ? iterations == 0 : known_ns == 0; }
  /// Per iteration, or per second; 0 if nothing was recorded.
  double of_recorded(double sum) const;
  /// The same of a time: per iteration, its share of the mean one (see Summary::gpu_time_per_iteration).
  double time_of_recorded(Nanoseconds sum) const;
  /// The same of what is always known.
  double of_all(double sum) const;
};

/// The innermost line of a stack in a file; 0: the file is not on it.
std::uint32_t innermost_line(const trace::CallSites::Stack& stack, trace::NameId file);

/// For [from, to). Per iteration, it should start and end with one, and only whole iterations count. Any thread, even
/// while the trace grows. Empty if `stop` is set meanwhile.
LineCosts line_costs(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, LineCosts::Per per,
                     const std::atomic<bool>* stop = nullptr);

// --- statement costs -------------------------------------------------------------------------------------------------
// The cost of each statement of a program: the CPU's own time, its waiting, and the GPU time of the work it issues.

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
