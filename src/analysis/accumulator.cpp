#include "analysis/accumulator.h"

#include <algorithm>
#include <cmath>

namespace lanescope::analysis {

using trace::LaneKind;

void Accumulator::open_window(Nanoseconds from) {
  reach(from);
  before_window_ = raw_totals_at(from);
  run_ahead_.cut(from);
  window_open_ = true;
  window_from_ = from;
  idle_since_ = std::max(from, busy_.end);
  cause_known_ = busy_.end > from;
  if (cause_known_) first_work_ = from;
}

void Accumulator::take(const trace::Event& event, trace::LaneId lane, LaneKind kind) {
  reach(event.start_ns);
  if (trace::is_host_wait(event) && trace::is_cpu_lane(kind)) take_host_wait(event, lane);
  if (kind == LaneKind::Phases && cpu_lanes_.holds_ops(lane)) ++counts_.cpu_op_count;
  if (kind == LaneKind::Calls) {
    take_call(event, lane);
  } else if (trace::is_gpu_work_lane(kind)) {
    take_operation(event, kind);
  } else if (kind == LaneKind::Iterations && window_open_) {
    if (!first_iteration_) {
      first_iteration_ = FirstIteration{event.start_ns, totals_at(event.start_ns)};
      run_ahead_.cut(event.start_ns);
    }
    running_iterations_.push_back({event.start_ns, event.end_ns});
    std::push_heap(running_iterations_.begin(), running_iterations_.end(),
                   [](const Interval& a, const Interval& b) { return a.end > b.end; });
  }
}

void Accumulator::take_host_wait(const trace::Event& wait, trace::LaneId lane) {
  const std::size_t thread = cpu_lanes_.thread_of(lane);
  if (loader_waits_.size() <= thread) loader_waits_.resize(thread + 1);
  loader_waits_[thread].add(wait.start_ns, wait.end_ns);
  causes_.wait(wait, lane, thread, idle_since_);
}

void Accumulator::take_call(const trace::Event& call, trace::LaneId lane) {
  if (call.kind != trace::EventKind::Call) return;
  const CallRole role = names_.role(call.name);
  const bool sync = trace::is_sync(call);
  const bool blocking = trace::is_blocking(call);
  if (role == CallRole::KernelLaunch) ++counts_.launch_count;
  if (sync) {
    ++counts_.sync_count;
    causes_.sync(call, lane, idle_since_);
  }
  const bool holds = role == CallRole::Pinning || (role == CallRole::MemoryCopy && blocking && !sync);
  if (holds) causes_.hold(call, lane, idle_since_);
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
    run_ahead_.call({call.start_ns, call.end_ns, call.correlation, call.name, lane, holds}, trace::is_launch(call));
  }
}

void Accumulator::take_operation(const trace::Event& operation, LaneKind kind) {
  const Nanoseconds start = operation.start_ns, end = operation.end_ns;
  ++counts_.gpu_op_count;
  const IssuingCall* launch = run_ahead_.operation(operation.correlation, start, end);
  if (kind != LaneKind::Kernels) take_copy(operation, kind);
  if (end <= start) {
    if (start >= busy_.end) last_work_ = kind;  // a read of some bytes may take no time, and is still what drained
    return;
  }
  if (window_open_) {
    if (start > idle_since_) close_gap(start, launch);
    cause_known_ = true;
    if (!first_work_) first_work_ = start;
  }
  if (end > busy_.end) last_work_ = kind;
  busy_.add(start, end);
  idle_since_ = std::max(idle_since_, end);
  switch (kind) {
    case LaneKind::Kernels:
      kernels_.add(start, end);
      break;
    case LaneKind::CopyH2D:
      uploads_.add(start, end);
      break;
    case LaneKind::CopyD2H:
      downloads_.add(start, end);
      break;
    default:
      break;
  }
}

void Accumulator::take_copy(const trace::Event& copy, LaneKind kind) {
  if (copy.kind != trace::EventKind::Copy || kind == LaneKind::CopyOther) return;
  const auto bytes = static_cast<std::int64_t>(trace::bytes_of(copy));
  const bool upload = kind == LaneKind::CopyH2D;
  (upload ? counts_.h2d_bytes : counts_.d2h_bytes) += bytes;
  if (copy.end_ns <= copy.start_ns) return;
  std::erase_if(running_copies_, [&](const Copy& c) { return c.end <= copy.start_ns; });
  running_copies_.push_back({copy.start_ns, copy.end_ns, bytes, upload});
}

void Accumulator::close_gap(Nanoseconds until, const IssuingCall* launch) {
  Bubble gap;
  gap.start_ns = idle_since_;
  gap.end_ns = until;
  if (cause_known_) gap = causes_.explain(idle_since_, until, launch, launch ? cpu_lanes_.thread_of(launch->lane) : 0);
  gap.last_work = last_work_;
  hand_out(gap);
}

void Accumulator::hand_out(const Bubble& gap) {
  counts_.add_gap(gap, gap.end_ns);
  if (first_iteration_) first_iteration_->totals.add_gap(gap, first_iteration_->start_ns);
  if (iterations_ > 0) last_iteration_.add_gap(gap, last_iteration_.end_ns);
  listener_.gap_closed(gap);
}

void Accumulator::end_iterations(Nanoseconds t) {
  while (!running_iterations_.empty() && running_iterations_.front().end <= t) {
    std::pop_heap(running_iterations_.begin(), running_iterations_.end(),
                  [](const Interval& a, const Interval& b) { return a.end > b.end; });
    const Interval iteration = running_iterations_.back();
    running_iterations_.pop_back();
    iterations_ns_ += iteration.end - iteration.start;
    static_cast<RunningTotals&>(last_iteration_) = totals_at(iteration.end);
    last_iteration_.start_ns = iteration.start;
    last_iteration_.end_ns = iteration.end;
    last_iteration_.number = ++iterations_;
    last_iteration_.iterations_ns = iterations_ns_;
    run_ahead_.cut(iteration.end);
    listener_.iteration_ended(last_iteration_);
  }
}

void Accumulator::close_window(Nanoseconds to) {
  reach(to);
  if (to <= idle_since_) return;
  Bubble gap;
  gap.start_ns = idle_since_;
  gap.end_ns = to;
  gap.last_work = last_work_;
  hand_out(gap);
  idle_since_ = to;
}

RunningTotals Accumulator::raw_totals_at(Nanoseconds t) const {
  RunningTotals totals = counts_;
  totals.busy_ns = busy_.total_at(t);
  totals.kernel_ns = kernels_.total_at(t);
  totals.h2d_ns = uploads_.total_at(t);
  totals.d2h_ns = downloads_.total_at(t);
  for (const trace::LaneId lane : wait_lanes_) totals.wait_ns += waits_[lane].total_at(t);
  for (const Union& waits : loader_waits_) totals.loader_wait_ns += waits.total_at(t);
  for (const Copy& copy : running_copies_) {
    if (copy.end <= t) continue;
    const double passed = static_cast<double>(std::max(t, copy.start) - copy.start);
    const double share = passed / static_cast<double>(copy.end - copy.start);
    const std::int64_t to_come = copy.bytes - std::llround(static_cast<double>(copy.bytes) * share);
    (copy.upload ? totals.h2d_bytes : totals.d2h_bytes) -= to_come;
  }
  return totals;
}

Summary Accumulator::summary_at(Nanoseconds t) const {
  Summary summary;
  summary.from_ns = window_from_;
  summary.to_ns = t;
  const RunningTotals totals = totals_at(t);
  fill(summary, totals);
  if (iterations_ > 0 && last_iteration_.end_ns > first_iteration_->start_ns) {
    set_judged(summary, first_iteration_->start_ns, last_iteration_.end_ns, last_iteration_ - first_iteration_->totals);
  } else if (first_work_) {
    set_judged(summary, *first_work_, std::min(busy_.end, t), totals);
    summary.judged.bubble_by_cause_ns[static_cast<std::size_t>(BubbleCause::StartOrEnd)] = 0;
  }
  return summary;
}

}  // namespace lanescope::analysis
