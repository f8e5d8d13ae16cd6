// The engine behind analyse() and LiveAnalysis: receives events in start order and maintains sums.
//
// An event is passed when it starts, and may end in the future. The totals at a time t exclude what lies beyond t.
// Query them after passing everything that starts before t, and nothing that starts later.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis/gap_causes.h"
#include "analysis/lane_facts.h"
#include "analysis/live_analysis.h"
#include "analysis/recorded_time.h"
#include "analysis/run_ahead.h"
#include "analysis/running_totals.h"
#include "analysis/whole_iterations.h"

namespace lanescope::analysis {

class Accumulator {
 public:
  class Listener {
   public:
    /// Loss and run-ahead are not set.
    virtual void iteration_ended(const IterationRecord& record) = 0;
    /// Totals taken earlier, at a time after the gap's start, do not include it yet: see RunningTotals::add_gap().
    virtual void gap_closed(const Bubble& bubble) = 0;
    /// The range of a closed gap, and so its place, became known later: see RunningTotals::add_place().
    virtual void place_known(const Bubble&) {}

   protected:
    ~Listener() = default;
  };

  /// `curve` receives the operations in flight; the events then need their places. With `only`, the figures are for
  /// this GPU, and work of other GPUs is left out; otherwise all GPU lanes count together.
  Accumulator(const trace::Trace& trace, Listener& listener, InFlight* curve = nullptr,
              trace::GpuNumber only = trace::kNobody)
      : trace_(trace),
        names_(trace.names()),
        lanes_(trace),
        places_(trace.names()),
        listener_(listener),
        only_(only),
        recorded_(trace, only),
        run_ahead_(curve) {}

  /// Looks for what has been recorded since the last call. Call before passing more events; all that start before
  /// `position` have been passed.
  void look(Nanoseconds position) {
    recorded_.refresh(position);
    if (recorded_.in_parts()) in_parts_ = true;
  }

  /// Events before this call are only context (launches and waits in progress); totals start here.
  void open_window(Nanoseconds from);
  /// Passes an event of an Iterations, Phases, Calls or GPU work lane.
  void take(const trace::Event& event, trace::LaneId lane, trace::LaneKind kind, const trace::EventPlace& place = {});
  /// The call that issued the last operation passed, or null if unknown. Valid until the next call of a function.
  const IssuingCall* issuer() const { return issuer_; }
  /// Passes an operation that starts after the window, only to mark its call as having one. Returns the call, or null
  /// if unknown.
  const IssuingCall* take_later(const trace::Event& operation, trace::LaneId lane);
  /// With figures for one GPU only: the lane belongs to another GPU.
  bool elsewhere(trace::LaneId lane) { return only_ != trace::kNobody && lanes_.gpu_of(lane) != only_; }
  /// With figures for one GPU only: as far as known, the lane's thread has launched on other GPUs and not on this one.
  bool serves_others(trace::LaneId lane) {
    const std::size_t thread = only_ == trace::kNobody ? serves_.size() : lanes_.thread_of(lane);
    return thread < serves_.size() && serves_[thread].others && !serves_[thread].this_one;
  }
  /// Everything that starts before t has been passed: reports the iterations that end by then.
  void reach(Nanoseconds t) {
    if (recorded_.next() <= t || (!running_iterations_.empty() && running_iterations_.front().end <= t)) advance(t);
  }
  /// GPU work was missed, so the cause of the current gap is unknown.
  void lose_cause() { cause_known_ = false; }
  /// Ends the window. From now on only run_ahead() may be passed events.
  void close_window(Nanoseconds to);

  RunningTotals totals_at(Nanoseconds t) const {
    RunningTotals totals;
    set_totals_at(t, totals);
    return totals;
  }
  /// All figures from the window's start to t, except run-ahead and the iterations' durations; without a verdict.
  Summary summary_at(Nanoseconds t) const;
  std::int64_t iterations() const { return iterations_; }
  const SyncPlaces& places() const { return places_; }
  /// Its cuts: 0 at the start of the window, 1 at the start of the first iteration, n + 1 at the end of the n-th.
  RunAhead& run_ahead() { return run_ahead_; }
  /// Call after closing the window, once the operations of its calls are known as far as possible. Sets the summary's
  /// run-ahead. Returns the curve at its cuts, and finally at the window's end.
  std::vector<RunAhead::Value> measure_run_ahead(Summary& summary);
  const RunAhead& run_ahead() const { return run_ahead_; }
  /// Totals at the start of the first iteration, if there is one.
  struct FirstIteration {
    Nanoseconds start_ns = 0;
    RunningTotals totals;
  };
  const std::optional<FirstIteration>& first_iteration() const { return first_iteration_; }
  /// The same as a record that ends there; without run-ahead. Without iterations, one of nothing.
  IterationRecord beginning() const {
    IterationRecord base;
    if (!first_iteration_) return base;
    static_cast<RunningTotals&>(base) = first_iteration_->totals;
    base.start_ns = base.end_ns = first_iteration_->start_ns;
    return base;
  }
  /// The end of the loop, if the newest iteration was the last: when the CPU has left it, the GPU has finished what it
  /// issued, and the first synchronisation after it has returned (unless something was launched before that).
  Nanoseconds loop_end_ns() const { return loop_end_; }
  /// Judges the iterations from the first of the run to the one of `last`, without the warm-up.
  void judge_from_the_first(Summary& summary, const IterationRecord& last) const;
  /// Operations of the loop before the first one whose launch is in the trace: they were issued before it began, and
  /// were in flight when the loop did. 0 if there are no launches at all.
  std::int64_t backlog() const { return launched_ ? backlog_ : 0; }
  /// Not everything was recorded.
  bool in_parts() const { return in_parts_; }
  /// In that case: the run-ahead until the end of iteration `number` (0: the start of the first).
  void note_run_ahead(std::int64_t number, std::int64_t integral_ns) {
    if (in_parts_) whole_.set_run_ahead(number, integral_ns);
  }
  /// In that case, gives a summary the figures of the whole recorded iterations from the end of `base` to that of
  /// `last`, if there are enough; its totals and its judged stretch have been set.
  /// Everything: also what is known all the time, such as waits, of these iterations alone.
  enum class Count : std::uint8_t { Recorded, Everything };
  /// What is rare (once.h): the iterations after the first of them, up to the second.
  struct Rare {
    const IterationRecord* after;
    const IterationRecord* until;
  };
  void count_whole(Summary& summary, const IterationRecord& base, const IterationRecord& last, const WatchedPace& pace,
                   Count count = Count::Recorded, std::span<const Rare> without = {}) const;
  /// Takes these iterations off a summary of those from the end of `base` to that of `last`, and off its judged
  /// stretch. (Durations, pace and run-ahead are not changed; if only parts were recorded, count_whole() comes next.)
  void leave_out(Summary& summary, const IterationRecord& base, const IterationRecord& last,
                 std::span<const Rare> rare) const;

 private:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::min();

  /// The union of intervals that are added in start order.
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
    /// Nothing is recorded between these: what continues is left out.
    void pause(Nanoseconds t) {
      beyond = end;
      if (end <= t) return;
      total -= end - t;
      end = t;
    }
    void resume(Nanoseconds t) { add(t, beyond); }

    Nanoseconds beyond = kNever;  // where it would end, while nothing is recorded
  };
  /// A thread's waits. A wait begins some time after its call does, so it may lie completely beyond t.
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

  /// Of an attached program, an iteration ends where its anchor returns, which may be its first call: what follows in
  /// the time of two more belongs to the loop, too.
  bool still_in_loop(Nanoseconds t) const {
    return iterations_ > 0 && t < last_iteration_.end_ns + (in_parts_ ? 2 * last_iteration_.duration() : 0);
  }
  void note_first_work(Nanoseconds t);
  void take_iteration(const trace::Event& iteration);
  void take_range(const trace::Event& range, trace::LaneId lane);
  void settle_places();
  void take_host_wait(const trace::Event& wait, trace::LaneId lane);
  void note_service(const IssuingCall* issuer, bool others);
  void take_call(const trace::Event& call, trace::LaneId lane, const trace::EventPlace& place);
  void take_operation(const trace::Event& operation, trace::LaneId lane, trace::LaneKind kind,
                      const trace::EventPlace& place);
  void take_copy(const trace::Event& copy, trace::LaneKind kind);
  void count_backlog(std::int64_t stream, bool launched);
  /// The call's process; in a trace to which none may be added.
  bool has_one_iteration(trace::LaneId call) const;
  void close_gap(Nanoseconds until, const IssuingCall* launch, trace::LaneId lane, bool migrates);
  void find_place(Bubble& gap);
  void hand_out(const Bubble& gap);
  void advance(Nanoseconds t);
  void end_iteration();
  void pause(Nanoseconds t);
  void resume(Nanoseconds t);
  void cut_copies(Nanoseconds t);
  Nanoseconds recorded_by(Nanoseconds t) const;
  /// In place, because copies of totals would be most of what an iteration costs.
  void set_totals_at(Nanoseconds t, RunningTotals& totals) const;

  const trace::Trace& trace_;
  CallNames names_;
  LaneFacts lanes_;
  OpenRanges ranges_;
  SyncPlaces places_;
  Listener& listener_;
  const trace::GpuNumber only_;
  trace::GpuNumber gpu_ = 0;  // the GPU that ran the newest operation
  GapCauses causes_;
  RecordedTime recorded_;
  bool in_parts_ = false, paused_ = false;
  Nanoseconds recorded_since_ = 0, recorded_ns_ = 0;  // the current stretch, and those before it
  WholeIterations whole_;
  RunAhead run_ahead_;
  const IssuingCall* issuer_ = nullptr;

  RunningTotals counts_;  // everything except the times, which are in the unions
  Union busy_, kernels_, compute_, uploads_, downloads_;
  std::vector<ThreadWait> waits_;          // by lane
  std::vector<trace::LaneId> wait_lanes_;  // lanes with waits
  std::vector<Union> loader_waits_;        // by thread
  struct Serves {
    bool this_one = false, others = false;
  };
  std::vector<Serves> serves_;  // by thread; only with figures for one GPU
  std::vector<Copy> running_copies_;
  struct Unplaced {  ///< a gap after a synchronisation whose range is unknown
    Bubble gap;
    std::size_t thread;
    RangeAround range;  ///< as far as known
  };
  std::vector<Unplaced> unplaced_;
  Nanoseconds newest_start_ = kNever;  // of the events passed
  bool late_ranges_ = false;           // some of unplaced_ may have received their range

  bool launched_ = false;  // an operation whose launch is known has been passed
  std::int64_t backlog_ = 0;
  std::vector<std::int64_t> backlog_streams_;  // on which nothing that was launched here has run

  trace::LaneKind last_work_ = trace::LaneKind::Kernels;
  std::int64_t last_stream_ = 0;            // stream of the operation after which the GPU runs dry
  bool last_was_copy_ = false;              // whether that operation is a copy
  trace::CallKey last_issuer_;              // the call that issued it
  std::optional<std::size_t> last_thread_;  // and its thread

  bool window_open_ = false;
  RunningTotals before_window_;  // none before it is open
  Nanoseconds window_from_ = 0;
  Nanoseconds idle_since_ = kNever;  // the GPU has no work after this time, as far as known
  bool cause_known_ = false;         // for the gap that starts there
  std::optional<Nanoseconds> first_work_;
  Nanoseconds recorded_at_first_work_ = 0;

  std::vector<Interval> running_iterations_;  // a heap with the earliest end at the front
  std::int64_t iterations_ = 0;
  Nanoseconds iterations_ns_ = 0;
  std::optional<FirstIteration> first_iteration_;
  IterationRecord first_ended_, last_iteration_;
  Nanoseconds loop_end_ = kNever;
  std::int64_t launches_by_then_ = 0;  // of the loop, up to the newest iteration and what follows in it
  bool awaited_ = false;               // a synchronisation followed
};

}  // namespace lanescope::analysis
