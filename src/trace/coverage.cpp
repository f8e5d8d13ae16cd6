#include "trace/coverage.h"

#include <algorithm>

#include "base/guess_search.h"
#include "trace/trace.h"

namespace lanescope::trace {

Coverage::~Coverage() {
  for (const auto& page : pages_) delete page.load(std::memory_order_relaxed);
}

// --- any thread ------------------------------------------------------------------------------------------------------

Bursts Coverage::bursts() const {
  return {burst_ns_.load(std::memory_order_relaxed), period_ns_.load(std::memory_order_relaxed)};
}

Coverage::Interval Coverage::interval(Index i) const {
  const Entry& e = entry(i);
  return {e.calls_from, e.begin, e.end.load(std::memory_order_acquire)};
}

Coverage::Index Coverage::first_ending_after(Nanoseconds t, Index from) const {
  const Index last = this->last();
  from = std::max(from, first());
  if (from >= last) return last;
  const auto end_of = [this](std::size_t i) { return entry(i).end.load(std::memory_order_acquire); };
  return base::first_above_near(from, from, last, t, end_of);
}

bool Coverage::recorded(Nanoseconds t) const {
  if (complete()) return true;
  const Index i = first_ending_after(t);
  return i < last() && entry(i).begin <= t;
}

bool Coverage::calls_recorded(Nanoseconds t) const {
  if (complete()) return true;
  const Index i = first_ending_after(t);
  return i < last() && entry(i).calls_from <= t;
}

Nanoseconds Coverage::recorded_ns(Nanoseconds from, Nanoseconds to) const {
  if (to <= from) return 0;
  if (complete()) return to - from;
  const Index last = this->last(), first = first_ending_after(from);
  if (first == last) return 0;
  // What was recorded before t, which is not before the interval i and not after it.
  const auto before = [&](Index i, Nanoseconds t) {
    const Interval at = interval(i);
    return entry(i).before + std::max<Nanoseconds>(0, std::min(t, at.end) - at.begin);
  };
  const Index past = std::min(first_ending_after(to, first), last - 1);
  // The first interval may have begun long before, or always: only what lies after `from` counts.
  const Interval begins = interval(first);
  const Nanoseconds in_first = std::max<Nanoseconds>(0, std::min(begins.end, to) - std::max(begins.begin, from));
  if (past == first) return in_first;
  return in_first + before(past, to) - before(first + 1, entry(first + 1).begin);
}

Nanoseconds Coverage::next_boundary(Nanoseconds t) const {
  if (complete()) return kNever;
  const Index i = first_ending_after(t);
  if (i == last()) return kNever;
  const Interval at = interval(i);
  return at.begin > t ? at.begin : at.end;
}

// --- the appending thread --------------------------------------------------------------------------------------------

void Coverage::leave_out() { complete_.store(false, std::memory_order_release); }

void Coverage::begin(Nanoseconds t, Nanoseconds calls_from) {
  if (open_) return;
  t = std::max(t, ended_);
  calls_from = std::clamp(calls_from, ended_, t);
  if (begins_page()) pages_[next_ / kPageIntervals % kPages].store(new Page, std::memory_order_release);
  Entry& e = entry(next_);
  e.calls_from = calls_from;
  e.begin = t;
  e.before = total_;
  e.end.store(kNever, std::memory_order_relaxed);
  open_ = true;
  last_.store(++next_, std::memory_order_release);
  leave_out();
}

void Coverage::end(Nanoseconds t) {
  if (!open_) {
    if (!complete()) return;
    begin(kAlways, kAlways);  // until now, everything was recorded
  }
  Entry& e = entry(next_ - 1);
  t = std::max(t, e.begin);
  if (e.begin != kAlways) total_ += t - e.begin;
  ended_ = t;
  open_ = false;
  e.end.store(t, std::memory_order_release);
}

void Coverage::set_bursts(const Bursts& bursts) {
  burst_ns_.store(bursts.burst_ns, std::memory_order_relaxed);
  period_ns_.store(bursts.period_ns, std::memory_order_relaxed);
}

std::atomic<Coverage::Page*>* Coverage::evict(Nanoseconds t) {
  const Index first = first_.load(std::memory_order_relaxed), past = first + kPageIntervals;
  if (past > next_ || (past == next_ && open_)) return nullptr;
  const bool old = entry(past - 1).end.load(std::memory_order_relaxed) <= t;
  if (!old && (next_ - first) / kPageIntervals < kMostPages) return nullptr;
  first_.store(past, std::memory_order_seq_cst);
  return &pages_[first / kPageIntervals % kPages];
}

// --- of a trace ------------------------------------------------------------------------------------------------------

void Trace::change_recording(const RecordingChange& change) {
  using Act = RecordingChange::Act;
  Coverage* coverage = coverage_to_change(change.pid);
  if (!coverage) return;
  if (change.act == Act::Bursts) coverage->set_bursts({change.time_ns, change.calls_from_ns});
  if (change.act == Act::Nothing) coverage->leave_out();
  if (change.act == Act::End) coverage->end(change.time_ns);
  if (change.act == Act::Begin) {
    if (coverage->begins_page()) {
      if (auto* slot = coverage->evict(oldest_covered(change.pid)))
        retired_coverage_.push_back({slot, epoch_.fetch_add(1, std::memory_order_seq_cst)});
      const std::uint64_t oldest = oldest_reader();
      std::erase_if(retired_coverage_, [&](const Retired<Coverage::Page>& r) {
        if (r.epoch >= oldest) return false;
        delete r.slot->exchange(nullptr, std::memory_order_acq_rel);
        return true;
      });
    }
    coverage->begin(change.time_ns, change.calls_from_ns);
  }
}

void Trace::copy_recording(const Trace& other, Nanoseconds from, Nanoseconds to, Nanoseconds shift) {
  using Act = RecordingChange::Act;
  const ReadLock lock(other);
  for (std::size_t c = 0; c < other.coverage_count(); ++c) {
    const std::int64_t pid = other.covered_pid(c);
    const Coverage& coverage = other.coverage(pid);
    const Bursts bursts = coverage.bursts();
    change_recording({Act::Bursts, pid, bursts.burst_ns, bursts.period_ns});
    if (coverage.complete()) continue;
    change_recording({Act::Nothing, pid, 0, 0});
    const Coverage::Index last = coverage.last();
    for (Coverage::Index i = coverage.first_ending_after(from); i < last; ++i) {
      const Coverage::Interval interval = coverage.interval(i);
      if (interval.begin >= to) break;
      change_recording({Act::Begin, pid, interval.begin + shift, interval.calls_from + shift});
      if (interval.end != Coverage::kNever) end_recorded(pid, interval.end + shift);
    }
  }
}

}  // namespace lanescope::trace
