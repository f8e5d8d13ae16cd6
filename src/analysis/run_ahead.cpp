#include "analysis/run_ahead.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lanescope::analysis {

RunAhead::RunAhead(InFlight* curve)
    : curve_(curve),
      ring_(kReach),
      heads_(std::size_t{1} << kHashBits),
      newest_at_(std::numeric_limits<Nanoseconds>::min()) {}

void RunAhead::make_room() {
  settle_some(newest_at_);
  if (newest_ - settled_.call + 1 == kReach) {
    leave_out(entry(settled_.call));
    settle_some(newest_at_);
  }
}

void RunAhead::leave_out(Entry& e) {
  if (curve_ && e.counted && !e.started) curve_->forget(e.call.place);
  e.counted = false;
}

RunAhead::Entry* RunAhead::find(const trace::CallKey& key) {
  if (key.correlation == 0) return nullptr;
  // A chain runs from the newest to the oldest entry, so overwritten entries are at its end.
  const std::uint64_t oldest = newest_ < kReach ? 1 : newest_ - kReach + 1;
  for (std::uint64_t n = heads_[hash(key)]; n >= oldest; n -= entry(n).back) {
    if (entry(n).call.key == key) return &entry(n);
    if (entry(n).back == 0) break;
  }
  return nullptr;
}

const IssuingCall* RunAhead::operation(const trace::CallKey& key, Nanoseconds start, Nanoseconds end,
                                       const trace::EventPlace& place) {
  Entry* e = find(key);
  if (e && e->counted && !e->started) {
    if (curve_) {
      const bool stands = end > (e->call.blocking ? e->call.start_ns : e->call.end_ns);
      if (!stands) curve_->forget(e->call.place);
      curve_->operation(place, !stands);
    }
    e->started = true;
    e->counted = end > e->issued_ns;
    if (e->counted) finishes_at(end);
    newest_last_ = (newest_last_ + 1) % kLasts;
    lasts_[newest_last_] = {key, end, place};
    return &e->call;
  }
  if (e) found_ = e->call;  // an added entry may overwrite it
  if (LastOf* last = e ? last_of(key) : nullptr) {
    go_on(*last, end, place);
  } else {
    if (curve_) curve_->operation(place, true);
    count_alone(start, end);
  }
  return e ? &found_ : nullptr;
}

RunAhead::LastOf* RunAhead::last_of(const trace::CallKey& key) {
  for (std::size_t back = 0; back < kLasts; ++back) {
    LastOf& last = lasts_[(newest_last_ + kLasts - back) % kLasts];
    if (last.key == key) return &last;
  }
  return nullptr;
}

void RunAhead::go_on(LastOf& last, Nanoseconds end, const trace::EventPlace& place) {
  if (curve_) {
    curve_->operation(place, false);
    curve_->goes_on(end > last.end ? last.place : place);
  }
  if (end <= last.end) return;
  const auto from = finishes_.begin() + static_cast<std::ptrdiff_t>(settled_.finish);
  const auto finish = std::lower_bound(from, finishes_.end(), last.end);
  if (finish != finishes_.end() && *finish == last.end) {
    finishes_.erase(finish);
    finishes_at(end);
  } else {
    count_alone(std::max(last.end, settled_.now), end);
  }
  last.end = end;
  last.place = place;
}

void RunAhead::count_alone(Nanoseconds from, Nanoseconds end) {
  if (end <= from) return;
  Entry& alone = add(from);
  alone.call = {};
  alone.counted = alone.started = true;
  finishes_at(std::max(end, alone.issued_ns));
}

const IssuingCall* RunAhead::later_operation(const trace::CallKey& key, Nanoseconds end) {
  Entry* e = find(key);
  if (!e) return nullptr;
  if (LastOf* last = e->started ? last_of(key) : nullptr) {
    found_ = e->call;
    go_on(*last, end, {});
    return &found_;
  }
  e->started = true;
  return &e->call;
}

const IssuingCall* RunAhead::operation_elsewhere(const trace::CallKey& key) {
  Entry* e = find(key);
  if (e && !e->started) leave_out(*e);
  return e ? &e->call : nullptr;
}

void RunAhead::give_up_waiting(Nanoseconds until) {
  for (std::uint64_t n = settled_.call; n <= newest_ && entry(n).issued_ns < until; ++n)
    if (!entry(n).started) leave_out(entry(n));
}

void RunAhead::cut(Nanoseconds t) { cuts_.push_back(cuts_.empty() ? t : std::max(t, cuts_.back())); }

// Before others that were passed earlier.
void RunAhead::finishes_early(Nanoseconds end) {
  auto place = finishes_.end();
  const auto first = finishes_.begin() + static_cast<std::ptrdiff_t>(settled_.finish);
  while (place != first && *(place - 1) > end) --place;
  finishes_.insert(place, end);
}

/// Of the time from `from` to `to`, what was recorded. `next`: the first pause that may not lie before.
Nanoseconds RunAhead::recorded_between(Nanoseconds from, Nanoseconds to, std::size_t& next) const {
  Nanoseconds recorded = to - from;
  for (; next < pauses_.size() && pauses_[next].from < to; ++next) {
    const Pause& pause = pauses_[next];
    recorded -= std::max<Nanoseconds>(0, std::min(to, pause.to) - std::max(from, pause.from));
    if (pause.to > to) break;
  }
  return recorded;
}

/// At the same instant, finished operations come first, then the cut, then issued operations.
void RunAhead::follow(Position& position, Nanoseconds until, bool wait_for_operations,
                      std::vector<Value>& values) const {
  constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();
  Position p = position;  // kept in registers: nothing below takes its address, and the lambdas are inlined
  std::size_t pause = p.pause;
  const auto time_of = [](const std::vector<Nanoseconds>& times, std::size_t i) {
    return i < times.size() ? times[i] : kNever;
  };
  Nanoseconds finish = time_of(finishes_, p.finish), cut = time_of(cuts_, p.cut);
  const auto pass = [&] [[gnu::always_inline]] (Nanoseconds to) {
    if (p.depth != 0 && to > p.now) {
      const Nanoseconds passed = pauses_.empty() ? to - p.now : recorded_between(p.now, to, pause);
      // A file's times may lie decades apart: then the integral stays at the most that it can be.
      std::int64_t added = 0, sum = 0;
      const bool over =
          __builtin_mul_overflow(p.depth, passed, &added) || __builtin_add_overflow(p.integral_ns, added, &sum);
      p.integral_ns = over ? std::numeric_limits<std::int64_t>::max() : sum;
    }
    p.now = p.depth != 0 ? std::max(p.now, to) : to;
  };
  const auto move_to = [&] [[gnu::always_inline]] (Nanoseconds t) {
    for (Nanoseconds next = std::min(finish, cut); next <= t && next != kNever; next = std::min(finish, cut)) {
      pass(next);
      if (finish <= cut) {
        --p.depth;
        finish = time_of(finishes_, ++p.finish);
      } else {
        values.push_back({cuts_gone_ + p.cut, p.integral_ns, p.maximum, p.depth});
        p.maximum = p.depth;
        cut = time_of(cuts_, ++p.cut);
      }
    }
    pass(t);
  };
  for (; p.call <= newest_; ++p.call) {
    const Entry& e = entry(p.call);
    if (!e.counted) continue;
    if (e.issued_ns > until) break;
    if (!e.started && wait_for_operations) {
      until = e.issued_ns;
      break;
    }
    move_to(e.issued_ns);
    p.maximum = std::max(p.maximum, ++p.depth);
  }
  move_to(until);
  p.pause = pause;
  position = p;
}

void RunAhead::settle_some(Nanoseconds until) {
  follow(settled_, until, true, settled_values_);
  // Only when most are gone, so that moving the others costs less than what was done with these.
  const auto forget = [](std::vector<Nanoseconds>& times, std::size_t& gone) {
    if (gone < kReach || gone < times.size() / 2) return std::size_t{0};
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(gone));
    return std::exchange(gone, 0);
  };
  forget(finishes_, settled_.finish);
  if (settled_.pause >= kReach) {
    pauses_.erase(pauses_.begin(), pauses_.begin() + static_cast<std::ptrdiff_t>(settled_.pause));
    settled_.pause = 0;
  }
  cuts_gone_ += forget(cuts_, settled_.cut);
}

std::vector<RunAhead::Value> RunAhead::settle(Nanoseconds until) {
  settle_some(until);
  return std::exchange(settled_values_, {});
}

std::vector<RunAhead::Value> RunAhead::provisional(Nanoseconds until) const {
  Position p = settled_;
  std::vector<Value> values;
  follow(p, until, false, values);
  values.push_back({cuts_gone_ + p.cut, p.integral_ns, p.maximum, p.depth});
  return values;
}

}  // namespace lanescope::analysis
