#include "analysis/in_flight.h"

#include <algorithm>
#include <bit>

namespace lanescope::analysis {

using trace::EventIndex;

InFlight::CountedRow& InFlight::row_of(const trace::EventPlace& place) {
  if (number_of_.size() <= place.lane) number_of_.resize(place.lane + std::size_t{1});
  std::vector<std::size_t>& rows = number_of_[place.lane];
  if (rows.size() <= place.row) rows.resize(place.row + std::size_t{1});
  std::size_t& number = rows[place.row];
  if (number == 0) {
    const trace::Lane& lane = trace_.lane(place.lane);
    CountedRow row;
    row.row = &lane.row(place.row);
    row.calls = lane.info().kind == trace::LaneKind::Calls;
    row.base = place.index / kStep * kStep;
    row.first = row.next = place.index;
    rows_.push_back(row);
    number = rows_.size();
  }
  return rows_[number - 1];
}

void InFlight::CountedRow::tell(EventIndex i, bool starts) {
  unheard += i - next;
  next = i + 1;
  const std::size_t number = (i - base) / kStep;
  if (number >= steps.size()) steps.resize(number + 1);
  if (starts) steps[number].starts |= 1u << (i - base) % kStep;
}

void InFlight::CountedRow::forget(EventIndex i) {
  if (i >= base) {
    const std::size_t number = (i - base) / kStep;
    steps[number].starts &= ~(1u << (i - base) % kStep);
    summed = std::min(summed, number + 1);
  } else {
    --steps.front().before;
    summed = 1;
  }
}

void InFlight::CountedRow::go_on(EventIndex i) {
  if (i >= base) {
    const std::size_t number = (i - base) / kStep;
    steps[number].goes_on |= 1u << (i - base) % kStep;
    summed = std::min(summed, number + 1);
  } else {
    ++steps.front().before;
    summed = 1;
  }
}

void InFlight::CountedRow::settle() {
  constexpr std::size_t kForgetAtOnce = 4096;
  for (; summed < steps.size(); ++summed) {
    const Step& before = steps[summed - 1];
    steps[summed].before =
        before.before + static_cast<std::uint32_t>(std::popcount(before.starts) + std::popcount(before.goes_on));
  }
  const EventIndex kept = std::min(row->first(), next);
  const std::size_t gone = kept > base ? std::min<std::size_t>((kept - base) / kStep, steps.size() - 1) : 0;
  if (gone < kForgetAtOnce || gone * 2 < steps.size()) return;
  steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(gone));
  steps.shrink_to_fit();
  summed -= gone;
  base += gone * kStep;
}

std::int64_t InFlight::CountedRow::marks_before(EventIndex i) const {
  const std::size_t number = std::min((i - base) / kStep, static_cast<EventIndex>(steps.size() - 1));
  const Step& step = steps[number];
  const EventIndex within = i - base - number * kStep;
  const std::uint32_t mask = within >= kStep ? ~0u : (1u << within) - 1;
  return std::int64_t{step.before} + std::popcount(step.starts & mask) + std::popcount(step.goes_on & mask);
}

void InFlight::call(const trace::EventPlace& place, bool starts) {
  if (place.index != trace::EventPlace::kUnknown) row_of(place).tell(place.index, starts);
}

void InFlight::forget(const trace::EventPlace& call) {
  if (call.index != trace::EventPlace::kUnknown) row_of(call).forget(call.index);
}

void InFlight::operation(const trace::EventPlace& place, bool alone) {
  if (place.index != trace::EventPlace::kUnknown) row_of(place).tell(place.index, alone);
}

void InFlight::goes_on(const trace::EventPlace& operation) {
  if (operation.index != trace::EventPlace::kUnknown) row_of(operation).go_on(operation.index);
}

void InFlight::settle() {
  for (CountedRow& row : rows_) row.settle();
}

InFlight::Reader::Reader(const InFlight& curve) : curve_(curve) {
  for (std::size_t n = 0; n < curve.rows_.size(); ++n) {
    const CountedRow& row = curve.rows_[n];
    // A row whose events were all evicted still counts: its calls or operations have their counterparts in other rows.
    const EventIndex first = std::min(row.next, std::max({row.first, row.base, row.row->first()}));
    cursors_.push_back({n, first, row.next});
  }
}

// What a row counts changes only where its next event starts or ends, so most queries read nothing.
void InFlight::Reader::move_to(Cursor& c, const CountedRow& row, Nanoseconds t) const {
  c.at = row.row->first_ending_after(t, c.at, c.last);
  const bool exists = c.at < c.last;
  c.end = exists ? row.row->end(c.at) : kNever;
  c.start = exists ? row.row->start(c.at) : kNever;
  c.before = row.marks_before(c.at);
  if (row.calls) {
    // A blocking copy issues its work long before the call ends.
    c.running =
        exists && row.starts_at(c.at) && trace::is_blocking(row.row->untimed_event(c.at)) ? c.before + 1 : c.before;
  } else {
    c.before -= static_cast<std::int64_t>(c.at - row.first - row.unheard);  // those that have ended
    c.running = exists && row.starts_at(c.at) ? c.before + 1 : c.before;
  }
}

std::int64_t InFlight::Reader::at(Nanoseconds t) {
  std::int64_t count = 0;
  for (Cursor& c : cursors_) {
    if (c.end <= t) move_to(c, curve_.rows_[c.row], t);
    count += c.start <= t ? c.running : c.before;
  }
  return count;
}

}  // namespace lanescope::analysis
