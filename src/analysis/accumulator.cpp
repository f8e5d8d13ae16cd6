#include "analysis/accumulator.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/lane_facts.h"
#include "analysis/warm_up.h"

namespace lanescope::analysis {

using trace::LaneKind;

namespace {

/// A synchronisation that takes so long waited for the GPU.
constexpr Nanoseconds kWaited = 100 * base::kMicrosecond;

/// A copy that waits for earlier work counts as a synchronisation instead.
Hold hold_of(CallRole role, bool blocking, bool sync) {
  if (role == CallRole::Pinning) return Hold::Pinning;
  if (role == CallRole::Allocation) return Hold::Allocation;
  return role == CallRole::MemoryCopy && blocking && !sync ? Hold::Staging : Hold::None;
}

}  // namespace

void Accumulator::open_window(Nanoseconds from) {
  reach(from);
  before_window_ = totals_at(from);
  run_ahead_.cut(from);
  window_open_ = true;
  window_from_ = from;
  idle_since_ = std::max(from, busy_.end);
  cause_known_ = busy_.end > from;
  if (cause_known_) note_first_work(from);
}

void Accumulator::note_first_work(Nanoseconds t) {
  if (first_work_) return;
  first_work_ = t;
  recorded_at_first_work_ = recorded_by(t);
}

void Accumulator::take_iteration(const trace::Event& iteration) {
  if (!first_iteration_) {
    // Those of the start-up, such as the kernels that JAX tries out, would leave no room for those of the loop.
    places_.forget();
    counts_.after_sync_at_ns = {};
    first_iteration_ = FirstIteration{iteration.start_ns, totals_at(iteration.start_ns)};
    if (in_parts_) whole_.pass({first_iteration_->totals, iteration.start_ns, 0, 0});
    run_ahead_.cut(iteration.start_ns);
  } else if (in_parts_ && !paused_ && running_iterations_.empty() && !whole_.in_stretch()) {
    // What lies between it and the one before was not recorded, but it is, from its start on.
    whole_.pass({totals_at(iteration.start_ns), iteration.start_ns, iterations_, 0});
  }
  running_iterations_.push_back({iteration.start_ns, iteration.end_ns});
  std::push_heap(running_iterations_.begin(), running_iterations_.end(),
                 [](const Interval& a, const Interval& b) { return a.end > b.end; });
}

void Accumulator::take_range(const trace::Event& range, trace::LaneId lane) {
  places_.learn(range);
  const std::size_t thread = lanes_.thread_of(lane);
  ranges_.add(thread, range.start_ns, range.end_ns, range.name);
  // A range precedes the calls that start with it, so one of these that is here already means that the range is late.
  if (range.start_ns > newest_start_) return;
  causes_.late_range(range, thread);
  for (Unplaced& u : unplaced_) {
    if (u.thread == thread)
      late_ranges_ |= u.range.narrow(range.name, range.start_ns, range.end_ns, u.gap.call_start_ns);
  }
}

// By now, ranges further inside have been received, too: late ranges come before any newer event.
void Accumulator::settle_places() {
  late_ranges_ = false;
  for (Unplaced& u : unplaced_) {
    if (u.range.name == 0) continue;
    u.gap.range = u.range.name;
    u.gap.place = places_.number(u.gap.range);
    counts_.add_place(u.gap, u.gap.end_ns);
    if (first_iteration_) first_iteration_->totals.add_place(u.gap, first_iteration_->start_ns);
    whole_.add_place(u.gap);
    if (iterations_ > 0) {
      first_ended_.add_place(u.gap, first_ended_.end_ns);
      last_iteration_.add_place(u.gap, last_iteration_.end_ns);
    }
    listener_.place_known(u.gap);
  }
  std::erase_if(unplaced_, [](const Unplaced& u) { return u.range.name != 0; });
}

// A stream runs its work in order: what was issued earlier comes before all that was launched here.
void Accumulator::count_backlog(std::int64_t stream, bool launched) {
  if (launched) {
    launched_ = true;
    std::erase(backlog_streams_, stream);
  } else if (const bool known = std::ranges::count(backlog_streams_, stream) > 0; known || !launched_) {
    if (!known) backlog_streams_.push_back(stream);
    backlog_ += first_iteration_.has_value();
  }
}

void Accumulator::take_host_wait(const trace::Event& wait, trace::LaneId lane) {
  const std::size_t thread = lanes_.thread_of(lane);
  if (loader_waits_.size() <= thread) loader_waits_.resize(thread + 1);
  loader_waits_[thread].add(wait.start_ns, wait.end_ns);
  if (!serves_others(lane)) causes_.wait(wait, lane, thread, idle_since_);
}

inline void Accumulator::take_call(const trace::Event& call, trace::LaneId lane, const trace::EventPlace& place) {
  newest_start_ = call.start_ns;
  const CallRole role = names_.role(call.name);
  const bool sync = trace::is_sync(call);
  const bool blocking = trace::is_blocking(call);
  const bool in_loop = still_in_loop(call.start_ns);
  if (role == CallRole::KernelLaunch && !paused_) ++counts_.launch_count;
  if (in_loop) launches_by_then_ = counts_.launch_count;
  if (sync) {
    ++counts_.sync_count;
    if (iterations_ > 0 && (in_loop || !awaited_) && counts_.launch_count == launches_by_then_) {
      // If it hardly waited, long after the loop, the GPU had finished in between; and a long one that did not wait at
      // all, such as a profiler's at its end, does something else.
      const Nanoseconds since = call.start_ns - last_iteration_.end_ns;
      const trace::CallParts parts = trace::parts_of(call);
      const bool waited = parts.waiting + parts.copying > 0 || call.duration() < kWaited;
      if (waited && call.duration() >= std::min(kWaited, since)) loop_end_ = std::max(loop_end_, call.end_ns);
      awaited_ = true;
    }
    // A synchronisation that drains only other GPUs explains nothing here.
    const std::size_t thread = lanes_.thread_of(lane);
    // Nobody frees memory in order to wait: what it delays is its own.
    if (role != CallRole::Allocation && !serves_others(lane))
      causes_.sync(call, lane, thread, ranges_.at(thread, call.start_ns), idle_since_);
  }
  const Hold hold = hold_of(role, blocking, sync);
  if (hold != Hold::None && !serves_others(lane)) causes_.hold(call, lane, lanes_.thread_of(lane), hold, idle_since_);
  if (blocking) {
    if (waits_.size() <= lane) waits_.resize(lane + std::size_t{1});
    ThreadWait& wait = waits_[lane];
    const Nanoseconds start = std::min(call.end_ns, call.start_ns + trace::parts_of(call).own);
    if (call.end_ns > start) {
      if (wait.all.end == kNever) wait_lanes_.push_back(lane);
      if (start > wait.all.end) wait.newest_start = start;
      wait.all.add(start, call.end_ns);
    }
  }
  if (call.correlation != 0) {
    IssuingCall& issued =
        run_ahead_.call(lanes_.key_of(lane, call.correlation), call.start_ns,
                        trace::is_launch(call) && (!paused_ || recorded_.calls_on(call.start_ns)), place);
    issued.end_ns = call.end_ns;
    issued.name = call.name;
    issued.lane = lane;
    issued.holds = hold;
    issued.blocking = blocking;
  }
}

inline void Accumulator::take_operation(const trace::Event& operation, trace::LaneId lane, LaneKind kind,
                                        const trace::EventPlace& place) {
  const Nanoseconds start = operation.start_ns, end = operation.end_ns;
  if (elsewhere(lane))
    return note_service(run_ahead_.operation_elsewhere(lanes_.key_of(lane, operation.correlation)), true);
  gpu_ = lanes_.gpu_of(lane);
  if (!paused_) ++counts_.gpu_op_count;
  const IssuingCall* launch = run_ahead_.operation(lanes_.key_of(lane, operation.correlation), start, end, place);
  issuer_ = launch;
  if (!launched_ || !backlog_streams_.empty()) count_backlog(lanes_.stream_of(lane), launch != nullptr);
  if (only_ != trace::kNobody) note_service(launch, false);
  if (launch && still_in_loop(launch->start_ns)) loop_end_ = std::max(loop_end_, end);
  if (kind != LaneKind::Kernels && !paused_) take_copy(operation, kind);
  if (end <= start) {
    if (start >= busy_.end) last_work_ = kind;  // a tiny copy may take no time, but is still the last work
    return;
  }
  if (window_open_ && !paused_) {
    if (start > idle_since_) close_gap(start, launch, lane, trace::is_migration(operation));
    cause_known_ = true;
    note_first_work(start);
  }
  if (end > busy_.end) {
    last_work_ = kind;
    last_stream_ = lanes_.stream_of(lane);
    last_was_copy_ = operation.kind == trace::EventKind::Copy;
    last_issuer_ = lanes_.key_of(lane, operation.correlation);
    last_thread_.reset();
    if (launch) last_thread_ = lanes_.thread_of(launch->lane);
  }
  const auto add = [&](Union& work) {
    if (paused_) {
      work.beyond = std::max(work.beyond, end);
    } else {
      work.add(start, end);
    }
  };
  add(busy_);
  if (!paused_) idle_since_ = std::max(idle_since_, end);
  switch (kind) {
    case LaneKind::Kernels:
      add(kernels_);
      if (names_.role(operation.name) != CallRole::Collective) add(compute_);
      break;
    case LaneKind::CopyH2D:
      add(uploads_);
      break;
    case LaneKind::CopyD2H:
      add(downloads_);
      break;
    default:
      break;
  }
}

// --- what is not recorded --------------------------------------------------------------------------------------------

Nanoseconds Accumulator::recorded_by(Nanoseconds t) const {
  if (!in_parts_) return t;
  return paused_ ? recorded_ns_ : recorded_ns_ + t - recorded_since_;
}

// A gap that is open now ends at the edge: as far as it is known, the GPU is idle, but nobody knows why.
void Accumulator::pause(Nanoseconds t) {
  if (window_open_ && t > idle_since_) {
    Bubble gap;
    gap.start_ns = idle_since_;
    gap.end_ns = t;
    gap.last_work = last_work_;
    gap.gpu = only_ == trace::kNobody ? gpu_ : only_;
    hand_out(gap);
  }
  idle_since_ = std::max(idle_since_, t);
  cut_copies(t);
  for (Union* work : {&busy_, &kernels_, &compute_, &uploads_, &downloads_}) work->pause(t);
  // Before the first edge, recorded time is counted from 0.
  if (t != trace::Coverage::kAlways) recorded_ns_ += t - recorded_since_;
  paused_ = true;
  run_ahead_.pause(t);
  whole_.end();
}

void Accumulator::resume(Nanoseconds t) {
  for (Union* work : {&busy_, &kernels_, &compute_, &uploads_, &downloads_}) work->resume(t);
  idle_since_ = std::max(t, busy_.end);
  cause_known_ = busy_.end > t;
  recorded_since_ = t;
  paused_ = false;
  run_ahead_.resume(t);
  run_ahead_.give_up_waiting(recorded_.earlier_end());
  unplaced_.clear();  // what has been handed out can get a place only while the totals around it are the newest
  whole_.begin();
}

// The bytes of a copy in progress that are to come are not recorded.
void Accumulator::cut_copies(Nanoseconds t) {
  const RunningTotals until = totals_at(t);
  counts_.h2d_bytes = before_window_.h2d_bytes + until.h2d_bytes;
  counts_.d2h_bytes = before_window_.d2h_bytes + until.d2h_bytes;
  running_copies_.clear();
}

void Accumulator::take(const trace::Event& event, trace::LaneId lane, LaneKind kind, const trace::EventPlace& place) {
  reach(event.start_ns);
  if (late_ranges_ && event.start_ns > newest_start_) settle_places();
  if (kind == LaneKind::Calls && event.kind == trace::EventKind::Call) return take_call(event, lane, place);
  if (trace::is_gpu_work_lane(kind)) return take_operation(event, lane, kind, place);
  if (trace::is_host_wait(event) && trace::is_cpu_lane(kind)) take_host_wait(event, lane);
  if (kind == LaneKind::Calls) {
    newest_start_ = event.start_ns;
  } else if (kind == LaneKind::Phases) {
    const trace::RangeKind range = trace::range_kind_of(event);
    if (range == trace::RangeKind::Compute) ++counts_.cpu_op_count;
    if (trace::is_stale_read(event) && !serves_others(lane)) ++counts_.stale_reads;
    if (range == trace::RangeKind::Pin && !serves_others(lane)) {
      causes_.pin(event, lane, lanes_.thread_of(lane), idle_since_);
    }
    if (range != trace::RangeKind::Timed) take_range(event, lane);
  } else if (kind == LaneKind::Iterations && window_open_) {
    take_iteration(event);
  }
}

void Accumulator::note_service(const IssuingCall* issuer, bool others) {
  if (!issuer) return;
  const std::size_t thread = lanes_.thread_of(issuer->lane);
  if (serves_.size() <= thread) serves_.resize(thread + 1);
  (others ? serves_[thread].others : serves_[thread].this_one) = true;
}

const IssuingCall* Accumulator::take_later(const trace::Event& operation, trace::LaneId lane) {
  const trace::CallKey key = lanes_.key_of(lane, operation.correlation);
  if (!elsewhere(lane)) return run_ahead_.later_operation(key, operation.end_ns);
  run_ahead_.operation_elsewhere(key);
  return nullptr;
}

void Accumulator::take_copy(const trace::Event& copy, LaneKind kind) {
  if (copy.kind != trace::EventKind::Copy || kind == LaneKind::CopyOther) return;
  const std::int64_t bytes = copied_bytes(copy);
  const bool upload = kind == LaneKind::CopyH2D;
  (upload ? counts_.h2d_bytes : counts_.d2h_bytes) += bytes;
  if (copy.end_ns <= copy.start_ns) return;
  std::erase_if(running_copies_, [&](const Copy& c) { return c.end <= copy.start_ns; });
  running_copies_.push_back({copy.start_ns, copy.end_ns, bytes, upload});
}

bool Accumulator::has_one_iteration(trace::LaneId call) const {
  const trace::LaneInfo& process = trace_.lane(call).info();
  if (trace_.complete_until() < trace_.extent().second) return false;  // others may follow
  for (std::size_t id = 0; id < trace_.lane_count(); ++id) {
    const trace::Lane& lane = trace_.lane(static_cast<trace::LaneId>(id));
    const trace::LaneInfo& info = lane.info();
    if (info.kind != LaneKind::Iterations || info.pid != process.pid || info.host != process.host) continue;
    std::uint64_t count = 0;
    for (std::size_t r = 0; r < lane.row_count(); ++r) count += lane.row(r).last() - lane.row(r).first();
    if (count > 1) return false;
  }
  return true;
}

void Accumulator::close_gap(Nanoseconds until, const IssuingCall* launch, trace::LaneId lane, bool migrates) {
  Bubble gap;
  gap.start_ns = idle_since_;
  gap.end_ns = until;
  gap.last_work = last_work_;
  gap.gpu = gpu_;
  bool continues = false;
  if (!cause_known_) {
    // Nothing has run before. But all that delays the work of the only iteration that a profiler has recorded is known;
    // where there are more, they say better what the program is like once it runs.
    const bool in_loop = busy_.end == Union{}.end && !in_parts_ && launch && first_iteration_ &&
                         first_iteration_->start_ns <= launch->start_ns && has_one_iteration(launch->lane);
    if (!in_loop) return hand_out(gap);
    if (first_iteration_->start_ns > gap.start_ns) {
      Bubble before = gap;
      before.end_ns = gap.start_ns = first_iteration_->start_ns;
      hand_out(before);
      continues = true;
    }
  }
  const GapCauses::Around around{.behind_copy = last_was_copy_ && lanes_.stream_of(lane) != last_stream_,
                                 .same_launch = launch && launch->key == last_issuer_,
                                 .migrates = migrates,
                                 .first = !cause_known_,
                                 .thread_before = last_thread_,
                                 .upload = trace_.lane(lane).info().kind == LaneKind::CopyH2D};
  causes_.divide(gap, launch, launch ? lanes_.thread_of(launch->lane) : 0, around, [&](Bubble part) {
    part.continues |= continues;
    if (part.cause == BubbleCause::AfterSync) find_place(part);
    hand_out(part);
  });
}

void Accumulator::find_place(Bubble& gap) {
  gap.place = places_.number(gap.range);
  if (gap.range != 0) return;
  constexpr std::size_t kMostUnplaced = 64;  // a range around this many gaps contains other places
  if (unplaced_.size() == kMostUnplaced) unplaced_.erase(unplaced_.begin(), unplaced_.begin() + kMostUnplaced / 2);
  unplaced_.push_back({gap, lanes_.thread_of(gap.call_lane), {}});
}

void Accumulator::hand_out(const Bubble& gap) {
  counts_.add_gap(gap, gap.end_ns);
  if (first_iteration_) first_iteration_->totals.add_gap(gap, first_iteration_->start_ns);
  whole_.add_gap(gap);
  if (iterations_ > 0) {
    first_ended_.add_gap(gap, first_ended_.end_ns);
    last_iteration_.add_gap(gap, last_iteration_.end_ns);
  }
  listener_.gap_closed(gap);
}

void Accumulator::advance(Nanoseconds t) {
  for (;;) {
    const Nanoseconds iteration =
        running_iterations_.empty() ? std::numeric_limits<Nanoseconds>::max() : running_iterations_.front().end;
    const Nanoseconds edge = recorded_.next();
    if (iteration <= edge) {
      if (iteration > t || running_iterations_.empty()) return;
      end_iteration();
      continue;
    }
    if (edge > t) return;
    const RecordedTime::Edge passed = recorded_.pass();
    if (passed == RecordedTime::Edge::Ends) pause(edge);
    if (passed == RecordedTime::Edge::Begins) resume(edge);
  }
}

void Accumulator::end_iteration() {
  std::pop_heap(running_iterations_.begin(), running_iterations_.end(),
                [](const Interval& a, const Interval& b) { return a.end > b.end; });
  const Interval iteration = running_iterations_.back();
  running_iterations_.pop_back();
  iterations_ns_ += iteration.end - iteration.start;
  set_totals_at(iteration.end, last_iteration_);
  last_iteration_.start_ns = iteration.start;
  last_iteration_.end_ns = iteration.end;
  last_iteration_.number = ++iterations_;
  last_iteration_.iterations_ns = iterations_ns_;
  last_iteration_.in_parts = in_parts_;
  last_iteration_.backlog_begun = backlog_;
  if (iterations_ == 1) first_ended_ = last_iteration_;
  if (in_parts_) whole_.pass({last_iteration_, iteration.end, iterations_, 0});
  loop_end_ = std::max(iteration.end, busy_.end);
  launches_by_then_ = counts_.launch_count;
  awaited_ = false;
  // A range around a whole iteration does not identify a place in it.
  std::erase_if(unplaced_, [&](const Unplaced& u) { return u.gap.call_start_ns < iteration.start; });
  run_ahead_.cut(iteration.end);
  listener_.iteration_ended(last_iteration_);
}

void Accumulator::close_window(Nanoseconds to) {
  reach(to);
  if (late_ranges_) settle_places();
  if (to <= idle_since_ || paused_) return;
  Bubble gap;
  gap.start_ns = idle_since_;
  gap.end_ns = to;
  gap.last_work = last_work_;
  gap.gpu = only_ == trace::kNobody ? gpu_ : only_;
  hand_out(gap);
  idle_since_ = to;
}

void Accumulator::set_totals_at(Nanoseconds t, RunningTotals& totals) const {
  totals.assign_difference(counts_, before_window_);
  totals.recorded_ns += recorded_by(t);
  totals.busy_ns += busy_.total_at(t);
  totals.kernel_ns += kernels_.total_at(t);
  totals.compute_ns += compute_.total_at(t);
  totals.h2d_ns += uploads_.total_at(t);
  totals.d2h_ns += downloads_.total_at(t);
  for (const trace::LaneId lane : wait_lanes_) totals.wait_ns += waits_[lane].total_at(t);
  for (const Union& waits : loader_waits_) totals.loader_wait_ns += waits.total_at(t);
  for (const Copy& copy : running_copies_) {
    if (copy.end <= t) continue;
    const double passed = static_cast<double>(std::max(t, copy.start) - copy.start);
    const double share = passed / static_cast<double>(copy.end - copy.start);
    const std::int64_t to_come = copy.bytes - std::llround(static_cast<double>(copy.bytes) * share);
    (copy.upload ? totals.h2d_bytes : totals.d2h_bytes) -= to_come;
  }
}

Summary Accumulator::summary_at(Nanoseconds t) const {
  Summary summary;
  summary.from_ns = window_from_;
  summary.to_ns = t;
  const RunningTotals totals = totals_at(t);
  fill(summary, totals);
  if (iterations_ > 0 && last_iteration_.end_ns > first_iteration_->start_ns) {
    judge_from_the_first(summary, last_iteration_);
  } else if (first_work_) {
    const Nanoseconds last_work = std::min(busy_.end, t);
    set_judged(summary, *first_work_, last_work, totals, 0, places_);
    // While nothing is recorded, the newest stretch ended after its last work.
    const Nanoseconds recorded =
        recorded_by(t) - (paused_ || !in_parts_ ? 0 : t - std::max(last_work, recorded_since_));
    summary.judged.recorded_ns = in_parts_ ? recorded - recorded_at_first_work_ : last_work - *first_work_;
    summary.judged.bubble_by_cause_ns[static_cast<std::size_t>(BubbleCause::StartOrEnd)] = 0;
  }
  return summary;
}

void Accumulator::judge_from_the_first(Summary& summary, const IterationRecord& last) const {
  const std::int64_t others = last.number - 1;
  const Nanoseconds first_ns = first_ended_.duration();
  Nanoseconds others_ns = last.iterations_ns - first_ns;
  // The other iterations may be quick only because they just issue work; the time until that work has ended counts as
  // well.
  if (last.number == iterations_) others_ns = std::max(others_ns, loop_end_ - first_ended_.end_ns);
  if (last.end_ns > first_ended_.end_ns && distorts_verdict(first_ns, others, others_ns)) {
    set_judged(summary, first_ended_.end_ns, last.end_ns, last - first_ended_, others, places_);
    summary.judged.warm_up_ns = first_ns;
  } else {
    set_judged(summary, first_iteration_->start_ns, last.end_ns, last - first_iteration_->totals, last.number, places_);
  }
}

void Accumulator::leave_out(Summary& summary, const IterationRecord& base, const IterationRecord& last,
                            std::span<const Rare> rare) const {
  if (rare.empty()) return;
  RunningTotals sum;
  Judged& judged = summary.judged;
  const Judged before = judged;
  std::vector<TimeSpan> spans;
  std::int64_t iterations = 0;
  for (const auto& [after, until] : rare) {
    sum += *until - *after;
    iterations += until->number - after->number;
    spans.push_back({after->end_ns, until->end_ns});
    summary.rare_ns += spans.back().length();
  }
  fill(summary, last - base - sum);
  const bool without_first = before.warm_up_ns > 0 && before.from_ns == first_ended_.end_ns;
  const IterationRecord& from = without_first && base.number == 0 ? first_ended_ : base;
  set_judged(summary, before.from_ns, before.to_ns, last - from - sum, before.iterations - iterations, places_);
  judged.warm_up_ns = before.warm_up_ns;
  judged.rare = std::move(spans);
  judged.rare_iterations = iterations;
}

void Accumulator::count_whole(Summary& summary, const IterationRecord& base, const IterationRecord& last,
                              const WatchedPace& pace, Count count, std::span<const Rare> without) const {
  summary.in_parts = in_parts_;
  if (!in_parts_) return;
  const auto point = [](const IterationRecord& r) {
    return WholeIterations::Point{r, r.end_ns, r.number, r.run_ahead_ns};
  };
  WholeIterations::Sum sum = whole_.until(point(last)) - whole_.until(point(base));
  for (const auto& [after, until] : without) sum = sum - (whole_.until(point(*until)) - whole_.until(point(*after)));
  summary.recorded_iterations = sum.iterations;
  if (sum.iterations < kFewestWhole) {
    summary.judged.iterations = 0;  // what is counted is not per iteration
    return;
  }
  if (const Nanoseconds added = pace.added_ns(); added > 0) {
    const double as_if_alone = pace.unwatched_ns() / summary.iteration.mean_ns;
    summary.recording_adds_ns = added;
    summary.iteration.mean_ns *= as_if_alone;
    summary.pace.ns *= as_if_alone;
    RunningTotals all = sum.totals;
    summary.idle_kept = all.take_off(added * sum.iterations);
    summary.taken_off_ns = sum.totals.recorded_ns - all.recorded_ns;
  }
  const WholeIterations::Sum raw = sum;
  sum.totals.keep(summary.idle_kept);
  count == Count::Everything ? fill(summary, sum.totals) : fill_recorded(summary, sum.totals);
  summary.loader_wait_ns = std::llround(static_cast<double>(sum.totals.loader_wait_ns) /
                                        static_cast<double>(std::max<Nanoseconds>(1, sum.totals.recorded_ns)) *
                                        static_cast<double>(summary.window_ns()));
  summary.run_ahead_mean =
      static_cast<double>(raw.run_ahead_ns) / static_cast<double>(std::max<Nanoseconds>(1, raw.totals.recorded_ns));
  const Judged before = std::move(summary.judged);
  if (before.warm_up_ns > 0 && base.number == 0) {
    sum = raw - whole_.first();
    sum.totals.keep(summary.idle_kept);
  }
  set_judged(summary, before.from_ns, before.to_ns, sum.totals, sum.iterations, places_);
  summary.judged.warm_up_ns = before.warm_up_ns;
  summary.judged.rare = before.rare;
  summary.judged.rare_iterations = before.rare_iterations;
}

std::vector<RunAhead::Value> Accumulator::measure_run_ahead(Summary& summary) {
  run_ahead_.give_up_waiting();
  std::vector<RunAhead::Value> values = run_ahead_.settle(summary.to_ns);
  const std::vector<RunAhead::Value> rest = run_ahead_.provisional(summary.to_ns);
  values.insert(values.end(), rest.begin(), rest.end());
  const Nanoseconds recorded = recorded_by(summary.to_ns) - before_window_.recorded_ns;
  if (recorded <= 0) return values;
  summary.run_ahead_mean =
      static_cast<double>(values.back().integral_ns - values.front().integral_ns) / static_cast<double>(recorded);
  for (auto value = values.begin() + 1; value != values.end(); ++value)
    summary.run_ahead_max = std::max(summary.run_ahead_max, value->maximum);
  return values;
}

}  // namespace lanescope::analysis
