#include "analysis/live_analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/accumulator.h"
#include "analysis/event_merge.h"
#include "analysis/once.h"
#include "analysis/recorded_time.h"
#include "base/huge_pages.h"

namespace lanescope::analysis {

using trace::LaneKind;

class LiveAnalysis::Engine final : Accumulator::Listener {
 public:
  Engine(const trace::Trace& trace, std::size_t max_records, std::size_t max_bubbles, Detail detail,
         trace::GpuNumber only)
      : trace_(trace),
        only_(only),
        max_records_(std::max<std::size_t>(max_records, 4)),
        merge_(trace,
               {LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D,
                LaneKind::CopyD2H, LaneKind::CopyOther, LaneKind::Markers, LaneKind::Counter},
               only),
        in_flight_(trace),
        sums_(trace, *this, detail == Detail::Timeline ? &in_flight_ : nullptr, only),
        bubbles_(max_bubbles) {}

  bool update(Nanoseconds until, std::size_t max_events) {
    if (finished_) return true;
    // The limit is read before the rows, so everything that starts before it has been published. It is at most the
    // newest event's end: beyond that nothing is known yet, even if the trace is complete further.
    const Nanoseconds limit = std::min({until, trace_.complete_until(), trace_.extent().second});
    if (!begin(limit) || limit <= until_) return true;
    sums_.look(until_);
    const bool all = read_until(limit, std::max<std::size_t>(max_events, 1));
    until_ = all ? limit : std::max(until_, merge_.stopped_at());
    sums_.reach(until_);
    note_run_ahead();
    return all;
  }

  void finish() {
    if (finished_) return;
    const KeptRange kept = kept_range(trace_);
    if (kept.empty || !begin(std::numeric_limits<Nanoseconds>::max())) return;
    finished_ = true;
    sums_.look(until_);
    until_ = kept.to;
    read_until(until_);
    sums_.close_window(until_);
    read_until(std::numeric_limits<Nanoseconds>::max());  // the events that start at until_ itself
    note_run_ahead();
    outstanding_ = sums_.run_ahead().provisional(until_).back().depth;
    sums_.run_ahead().give_up_waiting();
    gave_up_ = true;
    note_run_ahead();
  }

  Summary total() const {
    if (!begun_) return empty_summary(0);
    Summary summary = sums_.summary_at(until_);
    complete(summary, run_ahead_now_ns_, maximum_now_);
    return summary;
  }

  Summary since_first_iteration() const {
    if (!begun_ || !sums_.first_iteration()) return empty_summary(0);
    const Accumulator::FirstIteration& first = *sums_.first_iteration();
    Summary summary = sums_.summary_at(until_);
    summary.from_ns = std::min(first.start_ns, until_);
    fill(summary, sums_.totals_at(until_) - first.totals);
    complete(summary, run_ahead_now_ns_ - run_ahead_at_first_, maximum_since_first_now_);
    return summary;
  }

  Summary since(const IterationRecord& base) const {
    Summary summary = sums_.summary_at(until_);
    summary.from_ns = std::min(base.end_ns, until_);
    fill(summary, sums_.totals_at(until_) - base);
    const Summary iterations = window(base.end_ns, std::numeric_limits<Nanoseconds>::max());
    summary.iteration = iterations.iteration;
    summary.judged = iterations.judged;
    summary.pace = iterations.pace;
    summary.run_ahead_max = std::max(iterations.run_ahead_max, maximum_after_last_now_);
    if (summary.recorded_ns > 0) {
      summary.run_ahead_mean =
          static_cast<double>(run_ahead_now_ns_ - base.run_ahead_ns) / static_cast<double>(summary.recorded_ns);
    }
    if (!records_.empty()) {
      const auto first = std::ranges::upper_bound(records_, base.end_ns, {}, &IterationRecord::end_ns);
      sums_.count_whole(summary, base, records_.back(),
                        watched(base, static_cast<std::size_t>(first - records_.begin()), records_.size()));
    }
    judge(summary);
    return summary;
  }

  /// The newest record that ends by `t`.
  const IterationRecord* record_by(Nanoseconds t) const {
    const auto past =
        std::ranges::upper_bound(records_, t, {}, [](const IterationRecord& record) { return record.end_ns; });
    return past == records_.begin() ? nullptr : &past[-1];
  }

  /// `without`: see once.h.
  Summary window(Nanoseconds from, Nanoseconds to, std::int64_t period = 1,
                 std::span<const TimeSpan> without = {}) const {
    if (records_.empty()) return empty_summary(from);
    const auto ends_at = [](const IterationRecord& record) { return record.end_ns; };
    const auto past = std::ranges::upper_bound(records_, to, {}, ends_at);
    auto first = std::ranges::upper_bound(records_, from, {}, ends_at);
    if (first >= past) return empty_summary(from);

    IterationRecord base;  // the totals at the start of the window
    const Nanoseconds beginning_ns = sums_.first_iteration()->start_ns;
    if (from <= beginning_ns) {
      base = beginning();
    } else if (first != records_.begin() && first->start_ns >= from && first[-1].number + 1 == first->number) {
      base = first[-1];
    } else {
      base = *first++;
    }
    if (first >= past) return empty_summary(from);

    const IterationRecord& last = past[-1];
    Summary summary;
    summary.from_ns = base.end_ns;
    summary.to_ns = last.end_ns;
    const RunningTotals totals = last - base;
    fill(summary, totals);
    if (from <= beginning_ns) {
      sums_.judge_from_the_first(summary, last);
    } else {
      set_judged(summary, summary.from_ns, summary.to_ns, totals, last.number - base.number, sums_.places());
    }
    const RareRecords rare(*this, without, base, first, past);
    sums_.leave_out(summary, base, last, rare.all);
    std::vector<Nanoseconds> durations;
    durations.reserve(static_cast<std::size_t>(past - first));
    for (auto record = first; record < past; ++record) {
      prefetch_step(static_cast<std::size_t>(record - records_.begin()) + kAhead);
      if (rare.has(*record)) continue;
      durations.push_back(record->duration());
      summary.run_ahead_max = std::max(summary.run_ahead_max, record->run_ahead_max);
    }
    summary.iteration = duration_stats(durations);
    set_exact(summary.iteration, last.number - base.number - rare.iterations,
              last.iterations_ns - base.iterations_ns - rare.iterations_ns);
    summary.pace = pace_of(base, static_cast<std::size_t>(first - records_.begin()),
                           static_cast<std::size_t>(past - records_.begin()), period, rare);
    if (summary.recorded_ns > 0)
      summary.run_ahead_mean = static_cast<double>(last.run_ahead_ns - base.run_ahead_ns - rare.run_ahead_ns) /
                               static_cast<double>(summary.recorded_ns);
    sums_.count_whole(summary, base, last,
                      watched(base, static_cast<std::size_t>(first - records_.begin()),
                              static_cast<std::size_t>(past - records_.begin()), rare),
                      Accumulator::Count::Recorded, rare.all);
    judge(summary);
    return summary;
  }

  /// All iterations from then on, without what is rare.
  Summary steady(Nanoseconds from) const { return steady(from, rare_spans(records_)); }
  Summary steady(Nanoseconds from, std::span<const TimeSpan> rare) const {
    return window(from, std::numeric_limits<Nanoseconds>::max(), 1, rare);
  }

  std::span<const IterationRecord> records() const { return records_; }
  std::optional<Nanoseconds> first_iteration_ns() const {
    return sums_.first_iteration() ? std::optional(sums_.first_iteration()->start_ns) : std::nullopt;
  }
  const Bubbles& bubbles() const { return bubbles_; }
  const std::vector<trace::Event>& markers() const { return markers_; }
  Nanoseconds analysed_until() const { return until_; }
  const InFlight& in_flight() const { return in_flight_; }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (source.kind == LaneKind::Markers) {
      markers_.push_back(event);
      markers_.back().lane = source.lane;
    } else if (source.kind == LaneKind::Counter) {
      take_sample(event, source.lane);
    } else if (!finished_ || event.start_ns < until_) {
      sums_.take(event, source.lane, source.kind, source.place());
    } else if (trace::is_gpu_work_lane(source.kind)) {
      sums_.take_later(event, source.lane);
    }
  }
  void lost() { sums_.lose_cause(); }

 private:
  static constexpr std::size_t kSlice = std::size_t{1} << 16;

  using Records = std::vector<IterationRecord, base::HugePageAllocator<IterationRecord>>;

  static constexpr std::size_t kAhead = 16;
  /// What loop_step() reads, in advance: a page holds only a dozen records, so the processor does not see it coming.
  void prefetch_step(std::size_t i) const {
    if (i >= records_.size()) return;
    const auto* const from = reinterpret_cast<const char*>(&records_[i].sync_count);
    const auto* const to = reinterpret_cast<const char*>(&records_[i].run_ahead_max + 1);
    base::prefetch(from, static_cast<std::size_t>(to - from));
  }

  /// The records of what is rare in a window.
  struct RareRecords {
    RareRecords() {}
    template <class Record>
    RareRecords(const Engine& engine, std::span<const TimeSpan> spans, const IterationRecord& base, Record first,
                Record past) {
      for (const TimeSpan& span : spans) {
        const IterationRecord* const before = engine.record_by(span.from);
        const IterationRecord* const until = engine.record_by(span.to);
        // Of other processes, it may lie between two iterations here.
        if (!until || until < &*first || until > &past[-1] || before == until) continue;
        const IterationRecord* const after = before && before >= &*first ? before : &base;
        if (after != &base && !all.empty() && after < all.back().until) continue;
        all.push_back({after, until});
        iterations += until->number - after->number;
        iterations_ns += until->iterations_ns - after->iterations_ns;
        run_ahead_ns += until->run_ahead_ns - after->run_ahead_ns;
      }
    }
    bool has(const IterationRecord& record) const {
      if (all.empty()) return false;
      const auto until =
          std::ranges::lower_bound(all, record.end_ns, {}, [](const auto& r) { return r.until->end_ns; });
      return until != all.end() && until->after->end_ns < record.end_ns;
    }

    std::vector<Accumulator::Rare> all;
    std::int64_t iterations = 0, run_ahead_ns = 0;
    Nanoseconds iterations_ns = 0;
  };

  static Summary empty_summary(Nanoseconds at) {
    Summary nothing;
    nothing.from_ns = nothing.to_ns = at;
    judge(nothing);
    return nothing;
  }

  static void set_exact(DurationStats& stats, std::int64_t count, Nanoseconds sum) {
    stats.count = count;
    stats.mean_ns = count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
  }

  /// The start of the first iteration, as a record that ends there.
  IterationRecord beginning() const {
    IterationRecord base = sums_.beginning();
    base.run_ahead_ns = run_ahead_at_first_;
    base.in_flight = in_flight_at_first_;
    return base;
  }

  /// Of the iterations in records [first, past), which follow `base`.
  WatchedPace watched(const IterationRecord& base, std::size_t first, std::size_t past,
                      const RareRecords& rare = {}) const {
    WatchedPace pace;
    const IterationRecord* before = &base;
    for (std::size_t i = first; sums_.in_parts() && i < past; before = &records_[i++]) {
      if (records_[i].number == before->number + 1 && !rare.has(records_[i]))
        pace.add(records_[i].duration(), records_[i].recorded_ns - before->recorded_ns);
    }
    return pace;
  }

  /// The pace of the iterations in records [first, past), which follow `base`.
  Pace pace_of(const IterationRecord& base, std::size_t first, std::size_t past, std::int64_t period,
               const RareRecords& rare = {}) const {
    std::vector<LoopStep> steps;
    const std::size_t earlier = base.number == 0 || first == 0 ? 0 : earlier_steps(first - 1, past - first, period);
    steps.reserve(past - first + 1 + earlier);
    const auto add = [&](const IterationRecord& record) {
      steps.push_back(loop_step(record, sums_.in_parts()));
      const std::int64_t waiting = sums_.backlog() - record.backlog_begun;
      if (!sums_.in_parts() && waiting > 0) steps.back().in_flight += waiting;
    };
    const auto add_all = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        prefetch_step(i + kAhead);
        add(records_[i]);
      }
    };
    if (earlier > 0) add_all(first - earlier, first - 1);
    const std::size_t start = steps.size();
    add(base);
    add_all(first, past);
    std::vector<TimeSpan> without;
    for (const Accumulator::Rare& one : rare.all) without.push_back({one.after->end_ns, one.until->end_ns});
    const Splice splice(steps, without);
    if (finished_ && past == records_.size() && base.number <= 1) {
      const std::span<const LoopStep> all = std::span(steps).subspan(start);
      const std::int64_t outstanding = (sums_.in_parts() ? 0 : outstanding_) + splice.unfinished();
      if (const auto elapsed = elapsed_pace(all, splice.within(sums_.loop_end_ns()), outstanding))
        return splice.back(*elapsed);
    }
    return splice.back(steady_pace(steps, start, period));
  }

  /// How many records before records_[base], itself included, have the same settings and may be of use for a stretch of
  /// `iterations`.
  std::size_t earlier_steps(std::size_t base, std::size_t iterations, std::int64_t period) const {
    constexpr std::size_t kLookBack = 4096, kMostPeriods = 5;
    const std::size_t most = std::max({kLookBack, iterations, kMostPeriods * static_cast<std::size_t>(period)});
    const auto turn = std::upper_bound(markers_.begin(), markers_.end(), records_[base].start_ns,
                                       [](Nanoseconds t, const trace::Event& marker) { return t < marker.start_ns; });
    const Nanoseconds earliest = turn == markers_.begin() ? std::numeric_limits<Nanoseconds>::min() : turn[-1].start_ns;
    std::size_t from = base;
    while (from > 0 && base - from < most && records_[from - 1].start_ns >= earliest &&
           records_[from - 1].number + 1 == records_[from].number) {
      --from;
      if (from >= kAhead) prefetch_step(from - kAhead);
    }
    return base - from + 1;
  }

  /// Sets the iterations, run-ahead and verdict of a summary that ends at until_.
  void complete(Summary& summary, std::int64_t run_ahead_ns, std::int64_t run_ahead_max) const {
    std::vector<Nanoseconds> durations;
    durations.reserve(records_.size());
    for (const IterationRecord& record : records_) durations.push_back(record.duration());
    summary.iteration = duration_stats(durations);
    if (!records_.empty()) {
      set_exact(summary.iteration, records_.back().number, records_.back().iterations_ns);
      summary.iteration.min_ns = shortest_;
      summary.iteration.max_ns = longest_;
      summary.pace = pace_of(beginning(), 0, records_.size(), 1);
    }
    if (summary.recorded_ns > 0)
      summary.run_ahead_mean = static_cast<double>(run_ahead_ns) / static_cast<double>(summary.recorded_ns);
    summary.run_ahead_max = run_ahead_max;
    summary.in_parts = sums_.in_parts();
    if (!records_.empty())
      sums_.count_whole(summary, beginning(), records_.back(), watched(beginning(), 0, records_.size()));
    judge(summary);
  }

  /// Opens the window at the start of the trace, which is known once the trace contains something complete.
  bool begin(Nanoseconds limit) {
    if (begun_) return true;
    const KeptRange kept = kept_range(trace_);
    if (kept.empty || kept.from >= limit) return false;
    begun_ = true;
    until_ = kept.from;
    merge_.start_at(kept.from, kept.from);
    sums_.look(trace::Coverage::kAlways);
    sums_.open_window(kept.from);
    return true;
  }

  /// Returns false if there is more than `max_events`.
  bool read_until(Nanoseconds limit, std::size_t max_events = kAllEvents) {
    while (max_events > 0) {
      const std::size_t slice = std::min(max_events, kSlice);
      if (merge_.run(limit, slice, *this)) return true;
      if (max_events != kAllEvents) max_events -= slice;
    }
    return false;
  }

  void take_sample(const trace::Event& sample, trace::LaneId lane) {
    if (trace_.lane(lane).info().role != trace::LaneRole::Loss) return;
    if (!finished_) sums_.reach(sample.start_ns);
    loss_ = trace::value_of(sample);
    for (auto r = records_.rbegin(); r != records_.rend() && r->end_ns == sample.start_ns; ++r) r->loss = loss_;
  }

  void iteration_ended(const IterationRecord& ended) override {
    if (ended.number == 1) shortest_ = longest_ = ended.duration();
    shortest_ = std::min(shortest_, ended.duration());
    longest_ = std::max(longest_, ended.duration());
    if (records_.size() >= max_records_) thin();
    if (records_.size() == records_.capacity()) base::reserve_more(records_, max_records_);
    records_.push_back(ended);
    records_.back().loss = loss_;
    records_.back().shortest_ns = records_.back().longest_ns = ended.duration();
  }

  /// Halves the older half of the records: of each pair, the later one stays.
  void thin() {
    const std::size_t half = records_.size() / 4 * 2;
    for (std::size_t i = 1; i < half; i += 2) {
      const std::int64_t dropped_max = records_[i - 1].run_ahead_max;
      const bool dropped_settled = records_[i - 1].number <= settled_;
      const auto [shortest, longest] = std::pair{records_[i - 1].shortest_ns, records_[i - 1].longest_ns};
      IterationRecord& kept = records_[i / 2] = records_[i];
      kept.shortest_ns = std::min(kept.shortest_ns, shortest);
      kept.longest_ns = std::max(kept.longest_ns, longest);
      if (kept.number <= settled_) {
        kept.run_ahead_max = std::max(kept.run_ahead_max, dropped_max);
      } else if (dropped_settled) {
        carried_max_ = std::max(carried_max_, dropped_max);
      }
    }
    records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(half / 2),
                   records_.begin() + static_cast<std::ptrdiff_t>(half));
  }

  /// Writes settled run-ahead into the records for good, and the rest as far as it is known.
  void note_run_ahead() {
    in_flight_.settle();
    for (const RunAhead::Value& value : sums_.run_ahead().settle(until_)) {
      maximum_ = std::max(maximum_, value.maximum);
      if (value.cut > 1) maximum_since_first_ = std::max(maximum_since_first_, value.maximum);
      carried_max_ = write_run_ahead(value, carried_max_);
      settled_ = static_cast<std::int64_t>(value.cut) - 1;
    }
    const std::vector<RunAhead::Value> provisional = sums_.run_ahead().provisional(until_);
    run_ahead_now_ns_ = provisional.back().integral_ns;
    maximum_after_last_now_ = provisional.back().maximum;
    maximum_now_ = maximum_;
    maximum_since_first_now_ = maximum_since_first_;
    std::int64_t carried = carried_max_;
    for (const RunAhead::Value& value : provisional) {
      maximum_now_ = std::max(maximum_now_, value.maximum);
      if (value.cut > 1) maximum_since_first_now_ = std::max(maximum_since_first_now_, value.maximum);
      if (&value != &provisional.back()) carried = write_run_ahead(value, carried);
    }
  }

  /// The record with this number, or one with another number, or none. Only old records have gaps between them.
  auto record_of(std::int64_t number) {
    const std::int64_t back = records_.empty() ? -1 : records_.back().number - number;
    if (back >= 0 && back < static_cast<std::int64_t>(records_.size())) {
      const auto place = records_.end() - 1 - static_cast<std::ptrdiff_t>(back);
      if (place->number == number) return place;
    }
    return std::ranges::lower_bound(records_, number, {}, &IterationRecord::number);
  }

  /// Returns the maximum that the next record must take over, because this value's record has been thinned out.
  std::int64_t write_run_ahead(const RunAhead::Value& value, std::int64_t carried) {
    const auto number = static_cast<std::int64_t>(value.cut) - 1;
    sums_.note_run_ahead(number, value.integral_ns);
    if (number == 0) {
      run_ahead_at_first_ = value.integral_ns;
      in_flight_at_first_ = value.depth;
    }
    if (number <= 0) return 0;
    carried = std::max(carried, value.maximum);
    const auto record = record_of(number);
    if (record == records_.end() || record->number != number) return carried;
    record->run_ahead_ns = value.integral_ns;
    record->run_ahead_max = carried;
    // The trace may have been cut while calls waited for their operations: those without one stay in flight.
    record->in_flight = gave_up_ ? std::max(record->in_flight, value.depth) : value.depth;
    return 0;
  }

  void gap_closed(const Bubble& bubble) override {
    for (auto r = records_.rbegin(); r != records_.rend() && r->end_ns > bubble.start_ns; ++r)
      r->add_gap(bubble, r->end_ns);
    bubbles_.push_back(bubble);
  }
  void place_known(const Bubble& bubble) override {
    for (auto r = records_.rbegin(); r != records_.rend() && r->end_ns > bubble.start_ns; ++r)
      r->add_place(bubble, r->end_ns);
    const auto known = std::ranges::lower_bound(bubbles_, bubble.start_ns, {}, &Bubble::start_ns);
    if (known != bubbles_.end() && known->start_ns == bubble.start_ns) *known = bubble;
  }

  const trace::Trace& trace_;
  const trace::GpuNumber only_;
  const std::size_t max_records_;
  EventMerge merge_;
  InFlight in_flight_;
  Accumulator sums_;
  bool begun_ = false, finished_ = false, gave_up_ = false;
  Nanoseconds until_ = std::numeric_limits<Nanoseconds>::min();

  Records records_;
  Bubbles bubbles_;
  std::vector<trace::Event> markers_;
  double loss_ = std::nan("");
  Nanoseconds shortest_ = 0, longest_ = 0;

  std::int64_t settled_ = 0;                            // the number of the newest record whose run-ahead is final
  std::int64_t maximum_ = 0, maximum_since_first_ = 0;  // of the settled run-ahead
  std::int64_t maximum_now_ = 0, maximum_since_first_now_ = 0;
  std::int64_t maximum_after_last_now_ = 0;  // since the newest record, as far as it is known
  std::int64_t carried_max_ = 0;
  std::int64_t run_ahead_at_first_ = 0, run_ahead_now_ns_ = 0;
  std::int64_t in_flight_at_first_ = 0;
  std::int64_t outstanding_ = 0;  // operations issued but not in the trace when it ended
};

/// One engine for all lanes together and, with several GPUs, one for each of them. A GPU's engine reads the trace from
/// its current start, and its figures are as if there were no other GPU.
struct LiveAnalysis::Engines {
  Engines(const trace::Trace& of, std::size_t records, std::size_t bubbles, Detail wanted)
      : trace(of),
        max_records(records),
        max_bubbles(bubbles),
        detail(wanted),
        links(of),
        whole(of, records, bubbles, wanted, trace::kNobody) {}

  bool update_links(std::size_t max_events) {
    if (detail == Detail::Timeline) return links.update(max_events);
    links.find_lanes();
    return true;
  }

  void look_for_gpus() {
    const std::size_t count = links.owners().gpus().size();
    while (count > 1 && gpus.size() < count) {
      const auto number = static_cast<trace::GpuNumber>(gpus.size());
      gpus.push_back(std::make_unique<Engine>(trace, max_records, max_bubbles, detail, number));
    }
  }

  template <class Figures>
  Summary over(const Figures& figures) const {
    Summary summary = figures(whole);
    if (gpus.empty()) return summary;
    std::vector<Summary> each;
    for (const auto& gpu : gpus) each.push_back(figures(*gpu));
    return over_gpus(std::move(summary), each, links.owners());
  }

  const Engine& of(trace::GpuNumber gpu) const { return gpu < gpus.size() ? *gpus[gpu] : whole; }

  const trace::Trace& trace;
  const std::size_t max_records, max_bubbles;
  const Detail detail;
  trace::Links links;
  Engine whole;
  std::vector<std::unique_ptr<Engine>> gpus;  // empty with a single GPU
};

LiveAnalysis::LiveAnalysis(const trace::Trace& trace, std::size_t max_records, std::size_t max_bubbles, Detail detail)
    : engines_(std::make_unique<Engines>(trace, max_records, max_bubbles, detail)) {}
LiveAnalysis::~LiveAnalysis() = default;

bool LiveAnalysis::update(Nanoseconds until, std::size_t max_events) {
  // Links also reads beyond the live edge.
  bool all = engines_->update_links(max_events);
  engines_->look_for_gpus();
  all &= engines_->whole.update(until, max_events);
  for (const auto& gpu : engines_->gpus) all &= gpu->update(until, max_events);
  return all;
}

void LiveAnalysis::finish() {
  engines_->update_links(kAllEvents);
  engines_->look_for_gpus();
  engines_->whole.finish();
  for (const auto& gpu : engines_->gpus) gpu->finish();
}

Summary LiveAnalysis::total() const {
  return engines_->over([](const Engine& e) { return e.total(); });
}
Summary LiveAnalysis::since_first_iteration() const {
  return engines_->over([](const Engine& e) { return e.since_first_iteration(); });
}
Summary LiveAnalysis::since(const IterationRecord& record) const {
  return engines_->over([&](const Engine& e) {
    if (&e == &engines_->whole) return e.since(record);
    // The first iterations of two ranks do not end together, and both are left out.
    const IterationRecord* own = e.record_by(record.end_ns);
    if (own == nullptr && !e.records().empty()) own = &e.records().front();
    return own != nullptr ? e.since(*own) : e.total();
  });
}
Summary LiveAnalysis::window(Nanoseconds from, Nanoseconds to, std::int64_t period) const {
  return engines_->over([&](const Engine& e) { return e.window(from, to, period); });
}
Summary LiveAnalysis::steady(Nanoseconds from) const {
  // All GPUs together are without what is rare for any: a job pauses as one.
  std::vector<TimeSpan> any;
  for (const auto& gpu : engines_->gpus) {
    for (const TimeSpan& span : rare_spans(gpu->records())) any.push_back(span);
  }
  std::ranges::sort(any, {}, &TimeSpan::from);
  std::vector<TimeSpan> together;
  for (const TimeSpan& span : any) {
    if (together.empty() || span.from > together.back().to) together.push_back(span);
    together.back().to = std::max(together.back().to, span.to);
  }
  return engines_->over([&](const Engine& e) {
    return &e == &engines_->whole && !engines_->gpus.empty() ? e.steady(from, together) : e.steady(from);
  });
}
std::size_t LiveAnalysis::gpu_count() const { return std::max<std::size_t>(1, engines_->gpus.size()); }
Summary LiveAnalysis::total(trace::GpuNumber gpu) const { return engines_->of(gpu).total(); }
Summary LiveAnalysis::window(trace::GpuNumber gpu, Nanoseconds from, Nanoseconds to) const {
  return engines_->of(gpu).window(from, to);
}
const Bubbles& LiveAnalysis::bubbles(trace::GpuNumber gpu) const { return engines_->of(gpu).bubbles(); }
const InFlight& LiveAnalysis::in_flight(trace::GpuNumber gpu) const { return engines_->of(gpu).in_flight(); }
std::span<const IterationRecord> LiveAnalysis::records(trace::GpuNumber gpu) const {
  return engines_->of(gpu).records();
}
const InFlight& LiveAnalysis::in_flight() const { return engines_->whole.in_flight(); }
const trace::Links& LiveAnalysis::links() const { return engines_->links; }
std::optional<Nanoseconds> LiveAnalysis::first_iteration_ns() const { return engines_->whole.first_iteration_ns(); }
std::span<const IterationRecord> LiveAnalysis::records() const { return engines_->whole.records(); }
const Bubbles& LiveAnalysis::bubbles() const { return engines_->whole.bubbles(); }
const std::vector<trace::Event>& LiveAnalysis::markers() const { return engines_->whole.markers(); }
Nanoseconds LiveAnalysis::analysed_until() const { return engines_->whole.analysed_until(); }

std::vector<RecentIteration> recent_iterations(const LiveAnalysis& analysis, std::size_t most) {
  const auto records = analysis.records();
  std::vector<RecentIteration> recent;
  const std::size_t first = records.size() > most ? records.size() - most : 0;
  for (std::size_t i = first; i < records.size(); ++i) {
    const IterationRecord& now = records[i];
    RecentIteration one{now.start_ns, now.end_ns, now.number};
    const RunningTotals none;
    const RunningTotals& before = i > 0 ? static_cast<const RunningTotals&>(records[i - 1]) : none;
    one.reads = now.d2h_bytes > before.d2h_bytes;
    one.waits = now.sync_count > before.sync_count;
    one.lost_ns = idle_of(now.bubble_ns, CauseGroup::AfterSync) - idle_of(before.bubble_ns, CauseGroup::AfterSync);
    recent.push_back(one);
  }
  return recent;
}

}  // namespace lanescope::analysis
