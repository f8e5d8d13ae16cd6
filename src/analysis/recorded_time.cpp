#include "analysis/recorded_time.h"

#include <algorithm>

namespace lanescope::analysis {

using trace::Coverage;

// Whether the processes to follow have changed.
bool RecordedTime::choose() {
  if (trace_.lane_count() == seen_lanes_ && trace_.coverage_count() == seen_coverages_) return false;
  seen_lanes_ = trace_.lane_count();
  seen_coverages_ = trace_.coverage_count();
  owners_.refresh();
  std::vector<const Coverage*> wanted;
  const auto want = [&](std::int64_t pid) {
    const Coverage* coverage = &trace_.coverage(pid);
    if (std::ranges::find(wanted, coverage) == wanted.end()) wanted.push_back(coverage);
  };
  const std::vector<trace::Gpu>& gpus = owners_.gpus();
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    if (only_ == trace::kNobody || g == only_) want(owners_.processes()[gpus[g].process].pid);
  }
  for (std::size_t c = 0; gpus.empty() && c < seen_coverages_; ++c) want(trace_.covered_pid(c));
  if (std::ranges::equal(wanted, followed_, {}, {}, &Followed::coverage)) return false;
  followed_.clear();
  for (const Coverage* coverage : wanted) followed_.push_back({coverage});
  return true;
}

void RecordedTime::refresh(Nanoseconds position) {
  if (trace_.coverage_count() == 0) return;
  const trace::Trace::ReadLock lock(trace_);
  bool changed = choose();
  const bool partly =
      !followed_.empty() && std::ranges::all_of(followed_, [](const Followed& f) { return !f.coverage->complete(); });
  if (!in_parts_ && !partly) return;
  changed |= !in_parts_;
  in_parts_ = true;
  if (changed) {
    position_ = std::max(position_, position);
    int on = 0;
    for (Followed& f : followed_) {
      f.at = f.coverage->first_ending_after(position_);
      f.inside = f.coverage->complete() || (f.at < f.coverage->last() && f.coverage->interval(f.at).begin <= position_);
      on += f.inside ? 1 : 0;
    }
    // Until now, either everything counted, or what other processes recorded.
    if ((on > 0) != (on_ > 0)) {
      next_ = position_;
      next_of_ = kAllOf;
      on_later_ = on;
      return;
    }
    on_ = on;
    next_of_ = 0;
  }
  if (next_of_ != kAllOf) find_next();
}

Nanoseconds RecordedTime::boundary_of(const Followed& f) const {
  if (f.coverage->complete()) return kNever;
  const Coverage::Index at = std::max(f.at, f.coverage->first());
  if (at >= f.coverage->last()) return kNever;
  const Coverage::Interval interval = f.coverage->interval(at);
  return f.inside && at == f.at ? interval.end : interval.begin;
}

void RecordedTime::find_next() {
  next_ = kNever;
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    const Nanoseconds t = boundary_of(followed_[i]);
    if (t >= next_) continue;
    next_ = t;
    next_of_ = i;
  }
}

RecordedTime::Edge RecordedTime::pass() {
  const trace::Trace::ReadLock lock(trace_);
  const int before = on_;
  position_ = std::max(position_, next_);
  if (next_of_ == kAllOf) {
    on_ = on_later_;
    next_of_ = 0;
  } else {
    Followed& f = followed_[next_of_];
    if (f.inside) {
      f.at = std::max(f.at + 1, f.coverage->first());
    } else {
      f.at = std::max(f.at, f.coverage->first());
    }
    f.inside = !f.inside;
    on_ += f.inside ? 1 : -1;
  }
  find_next();
  if ((before > 0) == (on_ > 0)) return Edge::Neither;
  if (on_ == 0) {
    newest_end_ = position_;
    return Edge::Ends;
  }
  since_ = position_;
  earlier_end_ = newest_end_;
  return Edge::Begins;
}

bool RecordedTime::calls_on(Nanoseconds t) const {
  if (!in_parts_ || on_ > 0) return true;
  const trace::Trace::ReadLock lock(trace_);
  return std::ranges::any_of(followed_, [t](const Followed& f) {
    return f.at >= f.coverage->first() && f.at < f.coverage->last() && f.coverage->interval(f.at).calls_from <= t;
  });
}

// --- kept range ------------------------------------------------------------------------------------------------------

KeptRange kept_range(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  KeptRange range;
  const auto [oldest, newest] = trace.extent();
  range.from = oldest;
  range.to = newest;
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(id));
    const trace::LaneKind kind = lane.info().kind;
    const bool relevant =
        kind == trace::LaneKind::Iterations || kind == trace::LaneKind::Calls || trace::is_gpu_work_lane(kind);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last(), first = row.first();
      if (last > first) range.empty = false;
      if (relevant && first > 0 && first < last) range.from = std::max(range.from, row.start(first));
    }
  }
  return range;
}

}  // namespace lanescope::analysis
