// The one engine behind analyse() and LiveAnalysis: is told of events in the order in which they start, and keeps sums.
//
// An event is told when it starts, and its end may lie in the future; the totals at an instant t leave out what is
// beyond t. They can be asked for when everything that starts before t has been told and nothing that starts later.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/call_names.h"
#include "analysis/cpu_lanes.h"
#include "analysis/gap_causes.h"
#include "analysis/live_analysis.h"
#include "analysis/open_ranges.h"
#include "analysis/run_ahead.h"
#include "analysis/running_totals.h"

namespace lanescope::analysis {

class Accumulator {
 public:
  class Listener {
   public:
    /// Loss and run-ahead are not filled in.
    virtual void iteration_ended(const IterationRecord& record) = 0;
    /// Totals taken before, at an instant after its start, do not hold it yet: RunningTotals::add_gap.
    virtual void gap_closed(const Bubble& bubble) = 0;
    /// The range of a gap that was closed before, and its place with it, are known only now:
    /// RunningTotals::add_place.
    virtual void place_known(const Bubble&) {}

   protected:
    ~Listener() = default;
  };

  Accumulator(const trace::Trace& trace, Listener& listener)
      : names_(trace.names()), lanes_(trace), places_(trace.names()), listener_(listener) {}

  /// What is told before is only context (which launches and waits are under way); totals count from here.
  void open_window(Nanoseconds from);
  /// An event of an Iterations, Phases, Calls or GPU work lane.
  void take(const trace::Event& event, trace::LaneId lane, trace::LaneKind kind);
  /// Everything that starts before t has been told: the iterations that end by then are handed out.
  void reach(Nanoseconds t) {
    if (!running_iterations_.empty() && running_iterations_.front().end <= t) end_iterations(t);
  }
  /// GPU work was missed: why the gap at this point came about cannot be told.
  void lose_cause() { cause_known_ = false; }
  /// The window ends here; what follows may only be told to run_ahead().
  void close_window(Nanoseconds to);

  RunningTotals totals_at(Nanoseconds t) const { return raw_totals_at(t) - before_window_; }
  /// All figures from the window's start to t, except run-ahead and the iterations' durations; not yet judged.
  Summary summary_at(Nanoseconds t) const;
  std::int64_t iterations() const { return iterations_; }
  const SyncPlaces& places() const { return places_; }
  /// Its cuts are: 0 at the start of the window, 1 at the start of the first iteration, n + 1 at the end of the n-th.
  RunAhead& run_ahead() { return run_ahead_; }
  /// Of a window that is closed, when the operations that its calls have issued are known as far as they will be.
  /// Returns the curve at its cuts, and last at the window's end.
  std::vector<RunAhead::Value> measure_run_ahead(Summary& summary);
  const RunAhead& run_ahead() const { return run_ahead_; }
  /// Totals at the start of the first iteration, once there is one.
  struct FirstIteration {
    Nanoseconds start_ns = 0;
    RunningTotals totals;
  };
  const std::optional<FirstIteration>& first_iteration() const { return first_iteration_; }
  /// When the CPU has left the newest iteration and the GPU has finished what was issued in it, and the first
  /// synchronisation after it has returned (unless something was launched before that): the loop's end, if it was the
  /// last one.
  Nanoseconds loop_end_ns() const { return loop_end_; }
  /// Judges so many iterations, the first of the run to the one with these totals at its end, without the warm-up.
  void judge_from_the_first(Summary& summary, const IterationRecord& last) const;

 private:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::min();

  /// The union of intervals that are added in the order in which they start.
  struct Union {
    Nanoseconds end = kNever;
    Nanoseconds total = 0;

    void add(Nanoseconds from, Nanoseconds to) {
      if (from < end) from = end;
      if (to <= from) return;
      total += to - from;
      end = to;
    }
    Nanoseconds total_at(Nanoseconds t) const { return end > t ? total - (end - t) : total; }
  };
  /// What a thread waited. A wait begins some time after its call does, so it may lie beyond t altogether.
  struct ThreadWait {
    Union all;
    Nanoseconds newest_start = 0;

    Nanoseconds total_at(Nanoseconds t) const {
      return all.end > t ? all.total - (all.end - std::max(t, newest_start)) : all.total;
    }
  };
  struct Copy {
    Nanoseconds start, end;
    std::int64_t bytes;
    bool upload;
  };
  struct Interval {
    Nanoseconds start, end;
  };

  void take_range(const trace::Event& range, trace::LaneId lane);
  void settle_places();
  void take_host_wait(const trace::Event& wait, trace::LaneId lane);
  void take_call(const trace::Event& call, trace::LaneId lane);
  void take_operation(const trace::Event& operation, trace::LaneId lane, trace::LaneKind kind);
  void take_copy(const trace::Event& copy, trace::LaneKind kind);
  void close_gap(Nanoseconds until, const IssuingCall* launch, trace::LaneId lane);
  void hand_out(const Bubble& gap);
  void end_iterations(Nanoseconds t);
  RunningTotals raw_totals_at(Nanoseconds t) const;

  CallNames names_;
  LaneFacts lanes_;
  OpenRanges ranges_;
  SyncPlaces places_;
  Listener& listener_;
  GapCauses causes_;
  RunAhead run_ahead_;

  RunningTotals counts_;  // everything but the times, which are in the unions
  Union busy_, kernels_, uploads_, downloads_;
  std::vector<ThreadWait> waits_;          // by number of the lane
  std::vector<trace::LaneId> wait_lanes_;  // those that have any
  std::vector<Union> loader_waits_;        // by number of the thread
  std::vector<Copy> running_copies_;
  struct Unplaced {  ///< a gap after a synchronisation whose range is not known
    Bubble gap;
    std::size_t thread;
    RangeAround range;  ///< as far as it is known
  };
  std::vector<Unplaced> unplaced_;
  Nanoseconds newest_start_ = kNever;  // of what has been told
  bool late_ranges_ = false;           // some of unplaced_ may have got their range

  trace::LaneKind last_work_ = trace::LaneKind::Kernels;
  std::int64_t last_stream_ = 0;  // of the operation after which the GPU will run dry
  bool last_was_copy_ = false;    // that operation

  bool window_open_ = false;
  RunningTotals before_window_;
  Nanoseconds window_from_ = 0;
  Nanoseconds idle_since_ = kNever;  // the GPU has no work after this, as far as it is known
  bool cause_known_ = false;         // of the gap that starts there
  std::optional<Nanoseconds> first_work_;

  std::vector<Interval> running_iterations_;  // a heap: the one that ends first is in front
  std::int64_t iterations_ = 0;
  Nanoseconds iterations_ns_ = 0;
  std::optional<FirstIteration> first_iteration_;
  IterationRecord first_ended_, last_iteration_;
  Nanoseconds loop_end_ = kNever;
  std::int64_t launches_by_then_ = 0;  // when the newest iteration ended
  bool awaited_ = false;               // a synchronisation came after it
};

}  // namespace lanescope::analysis
