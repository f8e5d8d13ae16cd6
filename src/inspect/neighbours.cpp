#include "inspect/neighbours.h"

#include <algorithm>
#include <tuple>

#include "analysis/event_listing.h"

namespace lanescope::ui {

namespace {

using base::Nanoseconds;
using trace::EventIndex;
using trace::LaneId;

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

// The first event of the query after `from`, or the last before it.
Neighbour next_of(const trace::Trace& trace, const analysis::EventQuery& query, const EventRef& from, Along along,
                  std::size_t limit) {
  const trace::Trace::ReadLock lock(trace);
  const analysis::EventRows rows(trace, query, limit);
  analysis::EventKey at = analysis::key_of(trace, from);
  Neighbour next;
  if (along == Along::Forth) ++at.index;  // not the event itself
  const auto found = along == Along::Forth ? rows.from(at, 1, &next.gave_up) : rows.before(at, 1, &next.gave_up);
  if (!found.empty()) next.found = found.front();
  return next;
}

}  // namespace

Neighbour neighbour(const trace::Trace& trace, const EventRef& from, Along along, Nanoseconds until) {
  return next_of(trace, {.to = until, .lanes = {from.lane}}, from, along, 1);
}

Neighbour neighbour_of_same_name(const trace::Trace& trace, const EventRef& from, Along along, Nanoseconds until,
                                 std::size_t limit) {
  return next_of(trace, {.to = until, .lanes = {from.lane}, .name = from.event.name}, from, along, limit);
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

std::vector<EventRef> enclosing_ranges(const trace::Links& links, const EventRef& event) {
  const trace::Trace& trace = links.trace();
  EventRef inner = event;
  if (trace::is_gpu_work(event.event.kind)) {
    const auto call = links.call_of(event);
    if (!call) return {};
    inner = *call;
  }
  const trace::LaneInfo& thread = trace.lane(inner.lane).info();
  if (!trace::is_cpu_lane(thread.kind)) return {};
  const trace::Trace::ReadLock lock(trace);
  std::vector<EventRef> found;
  const auto holds_ranges = [](trace::LaneKind kind) {
    return kind == trace::LaneKind::Iterations || kind == trace::LaneKind::Phases;
  };
  for_rows(trace, holds_ranges, [&](trace::LaneId lane, std::size_t r, const trace::Row& row) {
    const trace::LaneInfo& info = trace.lane(lane).info();
    if (info.tid != thread.tid || info.pid != thread.pid || info.host != thread.host) return;
    // A row's events do not overlap: only the one that covers the event's start can contain it.
    const trace::EventIndex last = row.last();
    const trace::EventIndex i = row.first_ending_after(inner.event.start_ns, row.first(), last);
    if (i == last || row.start(i) > inner.event.start_ns || row.end(i) < inner.event.end_ns) return;
    const EventRef range = event_ref(lane, r, row, i);
    if (range == inner) return;
    // Of two that are equally long, the one further up contains the other.
    const bool same = range.event.start_ns == inner.event.start_ns && range.event.end_ns == inner.event.end_ns;
    if (same && lane == inner.lane && r > inner.row) return;
    found.push_back(range);
  });
  std::sort(found.begin(), found.end(), [&](const EventRef& a, const EventRef& b) {
    const auto outer_last = [&](const EventRef& e) {
      const bool iteration = trace.lane(e.lane).info().kind == trace::LaneKind::Iterations;
      return std::tuple(e.event.duration(), iteration, -static_cast<std::int64_t>(e.row));
    };
    return outer_last(a) < outer_last(b);
  });
  return found;
}

}  // namespace lanescope::ui
