// The iterations that lie wholly in recorded time: only these show how much of an iteration the GPU works, how often it
// launches, how much it copies. As everywhere, an iteration lasts from the end of the one before it to its own;
/// from its start, where the time between the two was not recorded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analysis/running_totals.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::analysis {

class WholeIterations {
 public:
  /// The totals at the end of an iteration, or at the start of one before which there was nothing recorded.
  struct Point : RunningTotals {
    Nanoseconds end_ns = 0;
    std::int64_t number = 0;        ///< of iterations ended so far
    std::int64_t run_ahead_ns = 0;  ///< run-ahead integrated over the recorded time until then, as far as it is known
  };
  struct Sum {
    RunningTotals totals;
    std::int64_t iterations = 0, run_ahead_ns = 0;

    friend Sum operator-(const Sum& later, const Sum& earlier) {
      return {later.totals - earlier.totals, later.iterations - earlier.iterations,
              later.run_ahead_ns - earlier.run_ahead_ns};
    }
  };

  // In time order:
  void begin() { begun_ = true; }  ///< recording has begun
  void end() { begun_ = in_stretch_ = false; }
  bool in_stretch() const { return in_stretch_; }
  /// An iteration has ended (or the first begins). Does nothing unless this is recorded.
  void pass(const Point& point);
  /// A gap that was closed only now, and a place that is known only now: see RunningTotals.
  void add_gap(const Bubble& gap);
  void add_place(const Bubble& gap);
  /// The run-ahead until the end of iteration `number` is known, or known better.
  void set_run_ahead(std::int64_t number, std::int64_t integral_ns);

  /// The sum from the start of the run to `point`, the end of any iteration. A difference of two sums is that of the
  /// whole iterations between them. Before the oldest stretch that is kept, everything is left out.
  Sum until(const Point& point) const;
  Sum all() const { return stretches_.empty() ? Sum{} : stretches_.back().until_end(); }
  /// The first iteration of the run, if it lies in recorded time.
  const Sum& first() const { return first_; }

 private:
  struct Stretch {
    Point first, last;
    Sum before;

    Sum until_end() const { return until(last); }
    Sum until(const Point& point) const;
  };
  static constexpr std::size_t kMostStretches = 1 << 14;  // two hours at two per second, 14 MB

  std::deque<Stretch> stretches_;
  bool begun_ = true, in_stretch_ = false;
  bool dropped_ = false;  // older stretches
  Nanoseconds beginning_ns_ = 0;
  Sum first_;
};

/// How long iterations take while everything is recorded and while nothing is. Recording slows a program that launches
/// much, and its figures are to be those that it has when nobody watches.
class WatchedPace {
 public:
  /// An iteration, and how much was recorded since the end of the one before it.
  void add(Nanoseconds took_ns, Nanoseconds recorded_ns) {
    if (recorded_ns != 0 && recorded_ns < took_ns) return;
    (recorded_ns == 0 ? unwatched_ : watched_).push_back(took_ns);
  }
  /// What recording adds to an iteration: the difference of the medians, if it is more than a tenth and there are
  /// enough of both; else 0.
  Nanoseconds added_ns() const;
  /// The mean of those that were not recorded; 0: too few.
  double unwatched_ns() const;

 private:
  std::vector<Nanoseconds> watched_, unwatched_;
};

/// Fewer whole iterations than this tell nothing: the figures are then those of the recorded time, and there is no
/// verdict.
inline constexpr std::int64_t kFewestWhole = 3;

// --- whole stretches -------------------------------------------------------------------------------------------------
// The iterations that were recorded as a whole, found in a trace at once (whole_iterations.h follows a growing one).

/// The iterations of [from, to) that lie wholly in recorded time, one after the other. With `gpu`, those of the process
/// that uses it. As everywhere, an iteration lasts from the end of the one before it to its own.
struct RecordedIterations {
  std::vector<TimeSpan> iterations;
  bool in_parts = false;    ///< not everything was recorded
  bool any = false;         ///< there are iterations, recorded or not
  Nanoseconds adds_ns = 0;  ///< what recording adds to an iteration; see WatchedPace
};
RecordedIterations recorded_iterations(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                       trace::GpuNumber gpu);

/// When what the GPU did was recorded, in [from, to); kNobody: that of any GPU.
std::vector<TimeSpan> recorded_time(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu);
/// What is left of ascending stretches.
std::vector<TimeSpan> without(const std::vector<TimeSpan>& stretches, std::span<const TimeSpan> left_out);
/// The time in both; each ascending.
std::vector<TimeSpan> in_both(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);

/// The time that counts where not everything was recorded: these iterations; without any, all of the recorded time.
struct WholeStretches {
  std::vector<TimeSpan> stretches;  ///< ascending
  bool by_iteration = false;
  std::int64_t iterations = 0;
  Nanoseconds recorded_ns = 0;

  void add(Nanoseconds from, Nanoseconds to) {
    if (stretches.empty() || stretches.back().to != from) stretches.push_back({from, from});
    stretches.back().to = to;
    recorded_ns += to - from;
  }
  /// How much of [from, to) lies in them.
  Nanoseconds within(Nanoseconds from, Nanoseconds to) const {
    Nanoseconds sum = 0;
    auto at = std::ranges::upper_bound(stretches, from, {}, &TimeSpan::to);
    for (; at != stretches.end() && at->from < to; ++at) sum += std::min(to, at->to) - std::max(from, at->from);
    return sum;
  }
};
/// Without what is rare (once.h). Empty if everything is recorded and counts.
std::optional<WholeStretches> whole_stretches(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                              trace::GpuNumber gpu, std::span<const TimeSpan> rare = {});

}  // namespace lanescope::analysis
