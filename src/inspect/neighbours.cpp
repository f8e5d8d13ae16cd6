#include "inspect/neighbours.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using trace::EventIndex;
using trace::LaneId;

// Walks the events of a lane, ordered by start and sub-row, away from one of them. Needs a read lock.
class Walk {
 public:
  Walk(const trace::Lane& lane, const EventRef& from, Along along, Nanoseconds until)
      : lane_(lane), forth_(along == Along::Forth) {
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      Cursor c{row.first(), row.last()};
      c.last = row.first_starting_at_or_after(until, c.first, c.last);
      // Of events that start together, those in later sub-rows come later.
      const Nanoseconds start = from.event.start_ns;
      const bool later = r > from.row;
      if (r == from.row) {
        c.at = std::clamp(forth_ ? from.index + 1 : from.index, c.first, std::max(c.first, c.last));
      } else {
        c.at = row.first_starting_at_or_after(later ? start : start + 1, c.first, c.last);
      }
      cursors_.push_back(c);
    }
  }
  /// Gets the sub-row and index of the next event; false at the end.
  bool next(std::size_t& row, EventIndex& index) {
    std::optional<std::size_t> best;
    Nanoseconds start = 0;
    for (std::size_t r = 0; r < cursors_.size(); ++r) {
      const Cursor& c = cursors_[r];
      if (forth_ ? c.at >= c.last : c.at <= c.first) continue;
      const Nanoseconds here = lane_.row(r).start(forth_ ? c.at : c.at - 1);
      if (best && (forth_ ? here >= start : here < start)) continue;
      best = r;
      start = here;
    }
    if (!best) return false;
    Cursor& c = cursors_[*best];
    row = *best;
    index = forth_ ? c.at++ : --c.at;
    return true;
  }

 private:
  struct Cursor {
    EventIndex first, last, at = 0;  // forwards: the next one; backwards: one past it
  };
  const trace::Lane& lane_;
  const bool forth_;
  std::vector<Cursor> cursors_;
};

template <typename F>
void for_iteration_lanes(const trace::Trace& trace, F f) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (lane.info().kind == trace::LaneKind::Iterations) f(static_cast<LaneId>(l), lane);
  }
}

// The distance in time between `t` and the event; 0 if it contains `t`.
Nanoseconds distance(const trace::Row& row, EventIndex i, Nanoseconds t) {
  if (t < row.start(i)) return row.start(i) - t;
  return std::max<Nanoseconds>(0, t - std::max(row.start(i), row.end(i) - 1));
}

}  // namespace

Neighbour neighbour(const trace::Trace& trace, const EventRef& from, Along along, Nanoseconds until) {
  const trace::Trace::ReadLock lock(trace);
  Walk walk(trace.lane(from.lane), from, along, until);
  std::size_t row = 0;
  EventIndex index = 0;
  if (!walk.next(row, index)) return {};
  return {event_ref(from.lane, row, trace.lane(from.lane).row(row), index)};
}

Neighbour neighbour_of_same_name(const trace::Trace& trace, const EventRef& from, Along along, Nanoseconds until,
                                 std::size_t limit) {
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& lane = trace.lane(from.lane);
  Walk walk(lane, from, along, until);
  std::size_t row = 0;
  EventIndex index = 0;
  for (std::size_t n = 0; walk.next(row, index); ++n) {
    if (n == limit) return {std::nullopt, true};
    if (lane.row(row).untimed_event(index).name == from.event.name)
      return {event_ref(from.lane, row, lane.row(row), index)};
  }
  return {};
}

std::optional<EventRef> nearest_event(const trace::Trace& trace, LaneId lane, Nanoseconds t, Nanoseconds until) {
  const trace::Trace::ReadLock lock(trace);
  const trace::Lane& l = trace.lane(lane);
  std::optional<EventRef> found;
  Nanoseconds best = 0;
  for (std::size_t r = 0; r < l.row_count(); ++r) {
    const trace::Row& row = l.row(r);
    const EventIndex first = row.first();
    const EventIndex last = row.first_starting_at_or_after(until, first, row.last());
    const EventIndex after = row.first_ending_after(t, first, last);
    const auto consider = [&](EventIndex i) {
      const Nanoseconds away = distance(row, i, t);
      const Nanoseconds length = row.end(i) - row.start(i);
      if (found && (away > best || (away == best && length >= found->event.duration()))) return;
      best = away;
      found = event_ref(lane, r, row, i);
    };
    if (after < last) consider(after);
    if (after > first) consider(after - 1);
  }
  return found;
}

std::optional<EventRef> event_on_next_lane(const trace::Trace& trace, const EventRef& from,
                                           std::span<const LaneId> lanes, Along along, Nanoseconds until) {
  const auto at = std::find(lanes.begin(), lanes.end(), from.lane);
  if (at == lanes.end()) return std::nullopt;
  const Nanoseconds middle = from.event.start_ns + from.event.duration() / 2;
  const auto step = static_cast<std::ptrdiff_t>(along);
  const auto count = static_cast<std::ptrdiff_t>(lanes.size());
  for (std::ptrdiff_t l = at - lanes.begin() + step; l >= 0 && l < count; l += step) {
    if (auto found = nearest_event(trace, lanes[static_cast<std::size_t>(l)], middle, until)) return found;
  }
  return std::nullopt;
}

std::optional<EventRef> iteration_at(const trace::Trace& trace, Nanoseconds t, Nanoseconds until) {
  std::optional<EventRef> found;
  const auto away = [t](const trace::Event& e) {
    return t < e.start_ns ? e.start_ns - t : std::max<Nanoseconds>(0, t - std::max(e.start_ns, e.end_ns - 1));
  };
  for_iteration_lanes(trace, [&](LaneId lane, const trace::Lane&) {
    const auto here = nearest_event(trace, lane, t, until);
    if (here && (!found || away(here->event) < away(found->event))) found = here;
  });
  return found;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> iteration_numbers(const trace::Trace& trace, Nanoseconds until) {
  const trace::Trace::ReadLock lock(trace);
  std::optional<std::pair<std::uint32_t, std::uint32_t>> numbers;
  for_iteration_lanes(trace, [&](LaneId, const trace::Lane& lane) {
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex first = row.first();
      const EventIndex last = row.first_starting_at_or_after(until, first, row.last());
      if (first >= last) continue;
      const std::uint32_t low = trace::index_of(row.untimed_event(first));
      const std::uint32_t high = trace::index_of(row.untimed_event(last - 1));
      numbers =
          numbers ? std::pair{std::min(numbers->first, low), std::max(numbers->second, high)} : std::pair{low, high};
    }
  });
  return numbers;
}

std::optional<EventRef> iteration_numbered(const trace::Trace& trace, std::uint32_t number, Nanoseconds until) {
  const trace::Trace::ReadLock lock(trace);
  std::optional<EventRef> found;
  for_iteration_lanes(trace, [&](LaneId lane, const trace::Lane& l) {
    for (std::size_t r = 0; r < l.row_count() && !found; ++r) {
      const trace::Row& row = l.row(r);
      EventIndex low = row.first();
      const EventIndex last = row.first_starting_at_or_after(until, low, row.last());
      EventIndex high = last;
      while (low < high) {
        const EventIndex middle = low + (high - low) / 2;
        if (trace::index_of(row.untimed_event(middle)) < number) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      if (low < last && trace::index_of(row.untimed_event(low)) == number) found = event_ref(lane, r, row, low);
    }
  });
  return found;
}

}  // namespace lanescope::ui
