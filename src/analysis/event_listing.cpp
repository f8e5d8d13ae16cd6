#include "analysis/event_listing.h"

#include <algorithm>

namespace lanescope::analysis {
namespace {

using trace::EventIndex;
using trace::EventRef;
using trace::Trace;

// The first event of the source that is not before `at`.
EventIndex place_in(const EventSource& s, const EventKey& at) {
  EventIndex i = s.row->first_starting_at_or_after(at.start, s.first, s.last);
  while (i < s.last && s.row->start(i) == at.start && s.key(i) < at) ++i;
  return i;
}

// Leaves about `slice` events to read. By time, not by row, so that results come in order. False: those are all.
bool cut_slice(std::vector<EventSource>& sources, std::uint64_t slice) {
  std::uint64_t left = 0;
  Nanoseconds from = EventQuery::kForever, to = EventQuery::kAlways;
  for (const EventSource& s : sources) {
    left += s.count();
    from = std::min(from, s.row->start(s.first));
    to = std::max(to, s.row->start(s.last - 1) + 1);
  }
  if (left <= slice) return false;
  const auto until = [](const EventSource& s, Nanoseconds t) {
    return s.row->first_starting_at_or_after(t, s.first, s.last);
  };
  const auto events_until = [&](Nanoseconds t) {
    std::uint64_t n = 0;
    for (const EventSource& s : sources) n += until(s, t) - s.first;
    return n;
  };
  const double share = static_cast<double>(slice) / static_cast<double>(left);
  Nanoseconds limit = from + 1 + static_cast<Nanoseconds>(static_cast<double>(to - from) * share);
  while (limit > from + 1 && events_until(limit) > 2 * slice) limit = from + 1 + (limit - from - 1) / 2;
  if (limit >= to) return false;
  for (EventSource& s : sources) s.last = until(s, limit);
  return true;
}

}  // namespace

std::uint64_t EventRows::count() const {
  std::uint64_t n = 0;
  for (const EventSource& s : sources_) n += s.count();
  return n;
}

// Merges rows with a heap of one event each.
std::vector<EventRef> EventRows::walk(const EventKey& at, std::size_t n, bool forward, bool* cut) const {
  struct Head {
    EventKey key;
    const EventSource* source;
  };
  const auto later = [&](const Head& a, const Head& b) { return forward ? a.key > b.key : a.key < b.key; };
  std::vector<Head> heap;
  for (const EventSource& s : sources_) {
    const EventIndex i = place_in(s, at);
    if (forward && i < s.last) heap.push_back({s.key(i), &s});
    if (!forward && i > s.first) heap.push_back({s.key(i - 1), &s});
  }
  std::ranges::make_heap(heap, later);
  std::vector<EventRef> events;
  for (std::size_t looked = 0; !heap.empty() && events.size() < n && looked < most_looked_; ++looked) {
    std::ranges::pop_heap(heap, later);
    const auto [key, source] = heap.back();
    heap.pop_back();
    if (filter_.passes(trace_.names(), source->row->untimed_event(key.index).name)) {
      events.push_back(trace::event_ref(key.lane, key.row, *source->row, key.index));
    }
    const bool more = forward ? key.index + 1 < source->last : key.index > source->first;
    if (!more) continue;
    heap.push_back({source->key(forward ? key.index + 1 : key.index - 1), source});
    std::ranges::push_heap(heap, later);
  }
  if (cut) *cut = events.size() < n && !heap.empty();
  return events;
}

std::vector<EventSource> Finder::unread(const Trace& trace) const {
  std::vector<EventSource> sources = event_sources(trace, query_);
  for (EventSource& s : sources) {
    const auto read = read_until_.find({s.lane, s.number});
    if (read != read_until_.end()) s.first = std::max(s.first, read->second);
  }
  std::erase_if(sources, [](const EventSource& s) { return s.first >= s.last; });
  return sources;
}

Finder::Batch Finder::next(const Trace& trace, std::size_t room, const Watch& watch, std::uint64_t slice) {
  Batch batch;
  std::vector<EventSource> sources;
  {
    const Trace::ReadLock lock(trace);
    sources = unread(trace);
    batch.more = cut_slice(sources, slice);
  }
  std::vector<EventKey> keys;
  const base::NameTable& names = trace.names();
  if (filter_.any(names)) {
    scan(trace, sources, watch,
         [&](const EventSource& s, const trace::Block& block, EventIndex first, EventIndex last) {
           for (EventIndex i = first; i < last; ++i) {
             const std::size_t k = i % trace::kBlockEvents;
             if (!filter_.passes(names, trace::untimed_event(block, k).name)) continue;
             keys.push_back({block.start[k], s.kind, s.lane, s.number, i});
           }
         });
  }
  for (const EventSource& s : sources) read_until_[{s.lane, s.number}] = s.last;
  batch.count = keys.size();
  if (keys.size() > room) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(room), keys.end());
    keys.resize(room);
  }
  std::ranges::sort(keys);
  const Trace::ReadLock lock(trace);
  for (const EventKey& key : keys) {
    const trace::Row& row = trace.lane(key.lane).row(key.row);
    if (key.index < row.first()) continue;  // evicted meanwhile
    batch.events.push_back(trace::event_ref(key.lane, key.row, row, key.index));
  }
  return batch;
}

}  // namespace lanescope::analysis
