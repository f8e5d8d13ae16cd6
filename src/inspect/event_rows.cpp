#include "inspect/event_rows.h"

#include <algorithm>

namespace lanescope::ui {

using trace::EventIndex;
using trace::LaneId;

EventRows::EventRows(const trace::Trace& trace, const std::vector<LaneId>& lanes, Nanoseconds from, Nanoseconds to,
                     Wanted wanted)
    : trace_(trace), wanted_(std::move(wanted)) {
  const auto add = [&](LaneId id) {
    const trace::Lane& lane = trace.lane(id);
    if (!has_intervals(lane.info().kind)) return;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      // Includes an instant at `from`, but not an interval that ends there.
      EventIndex begin = from == std::numeric_limits<Nanoseconds>::min()
                             ? row.first()
                             : row.first_ending_after(from - 1, row.first(), last);
      while (begin < last && row.end(begin) == from && row.start(begin) < from) ++begin;
      const EventIndex end = row.first_starting_at_or_after(to, begin, last);
      if (begin < end) sources_.push_back({&row, begin, end, lane.info().kind, id, static_cast<std::uint16_t>(r)});
    }
  };
  if (lanes.empty()) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) add(static_cast<LaneId>(l));
  } else {
    for (const LaneId lane : lanes) {
      if (lane < trace.lane_count()) add(lane);
    }
  }
}

EventIndex EventRows::Source::place(const EventKey& at) const {
  EventIndex i = row->first_starting_at_or_after(at.start, first, last);
  while (i < last && row->start(i) == at.start && key(i) < at) ++i;
  return i;
}

std::uint64_t EventRows::count() const {
  std::uint64_t n = 0;
  for (const Source& s : sources_) n += s.last - s.first;
  return n;
}

bool EventRows::contains(const EventKey& key) const {
  return std::any_of(sources_.begin(), sources_.end(), [&](const Source& s) {
    return s.lane == key.lane && s.number == key.row && key.index >= s.first && key.index < s.last;
  });
}

// Merges rows with a heap of one event each. Backwards, a row's position is one past its next event.
template <class Before>
std::vector<EventRef> EventRows::walk(const EventKey& at, std::size_t n, bool forward, Before comes_later,
                                      bool* cut) const {
  struct Head {
    EventKey key;
    const Source* source;
  };
  const auto later = [&](const Head& a, const Head& b) { return comes_later(a.key, b.key); };
  std::vector<Head> heap;
  for (const Source& s : sources_) {
    const EventIndex i = s.place(at);
    if (forward && i < s.last) heap.push_back({s.key(i), &s});
    if (!forward && i > s.first) heap.push_back({s.key(i - 1), &s});
  }
  std::make_heap(heap.begin(), heap.end(), later);
  std::vector<EventRef> events;
  std::size_t looked = 0;
  for (; !heap.empty() && events.size() < n && looked < kMostLooked; ++looked) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const auto [key, source] = heap.back();
    heap.pop_back();
    const trace::Event event = source->row->event(key.index);
    if (!wanted_ || wanted_(event.name)) {
      events.push_back({key.lane, key.row, key.index, event});
      events.back().event.lane = key.lane;
    }
    const bool more = forward ? key.index + 1 < source->last : key.index > source->first;
    if (!more) continue;
    heap.push_back({source->key(forward ? key.index + 1 : key.index - 1), source});
    std::push_heap(heap.begin(), heap.end(), later);
  }
  if (cut) *cut = events.size() < n && !heap.empty();
  return events;
}

std::vector<EventRef> EventRows::from(const EventKey& at, std::size_t n, bool* cut) const {
  return walk(
      at, n, true, [](const EventKey& a, const EventKey& b) { return a > b; }, cut);
}

std::vector<EventRef> EventRows::before(const EventKey& at, std::size_t n) const {
  return walk(
      at, n, false, [](const EventKey& a, const EventKey& b) { return a < b; }, nullptr);
}

}  // namespace lanescope::ui
