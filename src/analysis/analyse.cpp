#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/accumulator.h"
#include "analysis/event_merge.h"
#include "analysis/live_analysis.h"
#include "analysis/recorded_time.h"
#include "analysis/summary.h"

namespace lanescope::analysis {
namespace {

using trace::LaneKind;

/// This many events of each row before the window are read, to know what is in progress when it begins: several times
/// the capacity of a launch queue.
constexpr trace::EventIndex kContextEvents = 4096;
/// At most this many events after the window are read, to know which of the calls in progress at its end have an
/// operation.
constexpr std::size_t kLookAheadEvents = 4 * kContextEvents;

/// The earliest time such that no row has more than kContextEvents events between it and `from`.
Nanoseconds context_start(const trace::Trace& trace, Nanoseconds from) {
  const trace::Trace::ReadLock lock(trace);
  Nanoseconds start = EventMerge::kFromTheBeginning;
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(id));
    if (lane.info().kind != LaneKind::Calls && !trace::is_gpu_work_lane(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex first = row.first();
      const trace::EventIndex here = row.first_starting_at_or_after(from, first, row.last());
      if (here - first > kContextEvents) start = std::max(start, row.start(here - kContextEvents));
    }
  }
  return start;
}

class RangeAnalysis final : Accumulator::Listener {
 public:
  RangeAnalysis(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, bool whole, const std::atomic<bool>* stop,
                trace::GpuNumber only)
      : merge_(trace,
               {LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D,
                LaneKind::CopyD2H, LaneKind::CopyOther},
               only),
        sums_(trace, *this, nullptr, only),
        from_(from),
        to_(to),
        whole_(whole),
        stop_(stop) {
    merge_.start_at(from, context_start(trace, from));
  }

  Summary run() {
    sums_.look(trace::Coverage::kAlways);
    read_until(from_);
    sums_.open_window(from_);
    read_until(to_);
    if (stop_ && *stop_) return {};
    sums_.close_window(to_);
    Summary summary = sums_.summary_at(to_);
    summary.iteration = duration_stats(durations_);
    measure_run_ahead(summary);
    set_pace(summary);
    summary.in_parts = sums_.in_parts();
    if (last_) sums_.count_whole(summary, sums_.beginning(), *last_, watched_);
    judge(summary);
    return summary;
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (event.start_ns < to_) {
      sums_.take(event, source.lane, source.kind);
    } else if (trace::is_gpu_work_lane(source.kind)) {
      sums_.take_later(event, source.lane);
    }
  }
  void lost() { sums_.lose_cause(); }

 private:
  static constexpr std::size_t kSlice = std::size_t{1} << 16;

  void iteration_ended(const IterationRecord& record) override {
    durations_.push_back(record.duration());
    steps_.push_back(loop_step(record, sums_.in_parts()));
    if (!sums_.in_parts()) return;
    watched_.add(record.duration(), record.recorded_ns - (last_ ? last_->recorded_ns : sums_.beginning().recorded_ns));
    last_ = record;
  }
  void gap_closed(const Bubble& gap) override {
    if (last_) last_->add_gap(gap, last_->end_ns);
  }
  void place_known(const Bubble& gap) override {
    if (last_) last_->add_place(gap, last_->end_ns);
  }

  void read_until(Nanoseconds limit) {
    while (!merge_.run(limit, kSlice, *this) && !(stop_ && *stop_)) {
    }
  }

  void measure_run_ahead(Summary& summary) {
    merge_.run(std::numeric_limits<Nanoseconds>::max(), kLookAheadEvents, *this);
    // Before giving up on calls without an operation in the trace: the trace may have been cut while they waited for
    // one.
    const std::vector<RunAhead::Value> with_waiting = sums_.run_ahead().provisional(to_);
    outstanding_ = sums_.in_parts() ? 0 : with_waiting.back().depth;
    const std::vector<RunAhead::Value> values = sums_.measure_run_ahead(summary);
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      sums_.note_run_ahead(static_cast<std::int64_t>(values[i].cut) - 1, values[i].integral_ns);
    note_in_flight(values);
    note_in_flight(with_waiting);
  }

  void note_in_flight(const std::vector<RunAhead::Value>& values) {
    if (sums_.in_parts()) return;
    for (const RunAhead::Value& value : values) {
      if (value.cut > 1 && value.cut - 2 < steps_.size()) steps_[value.cut - 2].in_flight = value.depth;
      if (value.cut == 1) in_flight_at_first_ = value.depth;
    }
  }

  // A whole trace is a run from its first iteration to its end. For a part of a trace, the stretch begins at the end of
  // its first iteration, where the number of operations in flight is known.
  void set_pace(Summary& summary) {
    if (steps_.empty()) return;
    const Accumulator::FirstIteration& first = *sums_.first_iteration();
    const LoopStep begin{.start_ns = first.start_ns,
                         .end_ns = first.start_ns,
                         .number = 0,
                         .sync_count = first.totals.sync_count,
                         .launch_count = sums_.in_parts() ? 0 : first.totals.launch_count,
                         .gpu_op_count = sums_.in_parts() ? 0 : first.totals.gpu_op_count,
                         .in_flight = in_flight_at_first_ + sums_.backlog()};
    if (whole_) {
      std::vector<LoopStep> all{begin};
      all.insert(all.end(), steps_.begin(), steps_.end());
      if (const auto elapsed = elapsed_pace(all, sums_.loop_end_ns(), outstanding_)) {
        summary.pace = *elapsed;
        return;
      }
    }
    summary.pace = steady_pace(steps_, 0);
  }

  EventMerge merge_;
  Accumulator sums_;
  const Nanoseconds from_, to_;
  const bool whole_;  // the window covers the whole trace
  const std::atomic<bool>* const stop_;
  std::vector<Nanoseconds> durations_;
  std::vector<LoopStep> steps_;
  std::int64_t in_flight_at_first_ = 0, outstanding_ = 0;
  std::optional<IterationRecord> last_;  // if not everything was recorded
  WatchedPace watched_;
};

Summary analyse_one(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop,
                    trace::GpuNumber only) {
  const KeptRange kept = kept_range(trace);
  from = std::max(from, kept.from);
  to = std::min(to, std::min(kept.to, trace.complete_until()));
  if (kept.empty || to <= from) {
    Summary nothing;
    nothing.from_ns = nothing.to_ns = from;
    judge(nothing);
    return nothing;
  }
  return RangeAnalysis(trace, from, to, from <= kept.from && to >= kept.to, stop, only).run();
}

}  // namespace

Summary analyse(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop) {
  Summary whole = analyse_one(trace, from, to, stop, trace::kNobody);
  const trace::Owners owners(trace);
  return owners.gpus().size() < 2 ? whole : over_gpus(std::move(whole), analyse_gpus(trace, from, to, stop), owners);
}

std::vector<Summary> analyse_gpus(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                  const std::atomic<bool>* stop) {
  std::vector<Summary> gpus;
  const std::size_t count = trace::Owners(trace).gpus().size();
  for (std::size_t g = 0; g < count; ++g)
    gpus.push_back(analyse_one(trace, from, to, stop, static_cast<trace::GpuNumber>(g)));
  return gpus;
}

}  // namespace lanescope::analysis
