// Merges the events of all rows of several lanes in start order, even while the trace grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include "trace/links.h"
#include "trace/trace.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// Events with the same start are ordered: an iteration before its contents, a range of the program before the calls in
/// it, a call before the operation it issues; then by lane and row, so that the order does not depend on when these
/// were found.
class EventMerge {
 public:
  struct Source {
    const trace::Row* row = nullptr;
    trace::EventIndex next = 0;
    trace::EventIndex last = 0;  ///< as published at the last look
    trace::LaneId lane = 0;
    trace::LaneKind kind = trace::LaneKind::Calls;
    std::uint32_t order = 0;              ///< rank among events with the same start; its last 8 bits are the row
    const trace::Block* block = nullptr;  ///< of `next`; null: not looked up yet

    /// Of the last event passed on.
    trace::EventPlace place() const { return {lane, static_cast<std::uint16_t>(order & 0xff), next - 1}; }
  };
  static constexpr Nanoseconds kFromTheBeginning = std::numeric_limits<Nanoseconds>::min();

  /// With `only`: this GPU, all lanes of the process that uses it (including its other GPUs), and markers and counters.
  EventMerge(const trace::Trace& trace, std::initializer_list<trace::LaneKind> kinds,
             trace::GpuNumber only = trace::kNobody);
  /// Skips iterations that start before `from`, other ranges that end before it, and other events that end before
  /// `context`.
  void start_at(Nanoseconds from, Nanoseconds context) {
    from_ = from;
    context_from_ = context;
  }

  /// Passes events that start before `limit` to taker.take(event, source), and calls taker.lost() if GPU work was
  /// evicted before it could be read. Stops after about `max_events` (never between events with the same start), so
  /// that the lock on the trace is not held for long. Returns true if nothing is left before the limit. Each call looks
  /// for new events, rows and lanes.
  template <class Taker>
  bool run(Nanoseconds limit, std::size_t max_events, Taker&& taker);
  /// After an early stop of run(): exactly the events that start before this time have been passed on.
  Nanoseconds stopped_at() const { return stopped_at_; }

 private:
  struct Head {
    Nanoseconds start;
    std::uint32_t order;
    std::uint32_t source;  ///< index

    bool before(const Head& other) const {
      return start < other.start || (start == other.start && order < other.order);
    }
  };
  struct WatchedLane {
    const trace::Lane* lane;
    trace::LaneId id;
    std::size_t rows = 0;
  };

  bool refresh(Nanoseconds limit);
  void add_row(const WatchedLane& lane, std::size_t number);
  bool wanted(trace::LaneId id, trace::LaneKind kind) const;
  static std::uint32_t rank(trace::LaneKind kind);
  void sink(const Head& head);

  const trace::Trace& trace_;
  trace::Owners owners_;
  trace::GpuNumber only_;
  std::uint32_t kinds_ = 0;
  Nanoseconds from_ = kFromTheBeginning, context_from_ = kFromTheBeginning;
  std::size_t lanes_seen_ = 0;
  std::vector<WatchedLane> lanes_;
  std::vector<Source> sources_;
  std::vector<Head> heap_;
  Nanoseconds stopped_at_ = kFromTheBeginning;
};

/// Replaces the top of the heap.
inline void EventMerge::sink(const Head& head) {
  const std::size_t n = heap_.size();
  std::size_t i = 0;
  for (;;) {
    std::size_t child = 2 * i + 1;
    if (child >= n) break;
    if (child + 1 < n && heap_[child + 1].before(heap_[child])) ++child;
    if (!heap_[child].before(head)) break;
    heap_[i] = heap_[child];
    i = child;
  }
  heap_[i] = head;
}

template <class Taker>
bool EventMerge::run(Nanoseconds limit, std::size_t max_events, Taker&& taker) {
  const trace::Trace::ReadLock lock(trace_);
  if (refresh(limit)) taker.lost();
  Nanoseconds taken_at = kFromTheBeginning;
  while (!heap_.empty()) {
    Head top = heap_[0];
    Source& source = sources_[top.source];
    // Often several events of a source follow one another: until another source's comes first, the heap stays as it is.
    Head other{std::numeric_limits<Nanoseconds>::max(), std::numeric_limits<std::uint32_t>::max(), 0};
    for (std::size_t i = 1; i < std::min<std::size_t>(heap_.size(), 3); ++i) {
      if (heap_[i].before(other)) other = heap_[i];
    }
    bool more = true;
    do {
      if (max_events > 0) {
        --max_events;
      } else if (top.start != taken_at) {
        heap_[0] = top;
        stopped_at_ = top.start;
        return false;
      }
      taken_at = top.start;
      const std::size_t k = source.next % trace::kBlockEvents;
      if (k == 0 || source.block == nullptr) source.block = source.row->block(source.next);
      ++source.next;
      taker.take(trace::event(*source.block, k), std::as_const(source));
      more = source.next < source.last;
      if (!more) break;
      top.start = k + 1 < trace::kBlockEvents ? source.block->start[k + 1] : source.row->start(source.next);
      more = top.start < limit;
    } while (more && top.before(other));
    if (more) {
      sink(top);
    } else {
      const Head last = heap_.back();
      heap_.pop_back();
      if (!heap_.empty()) sink(last);
    }
  }
  return true;
}

}  // namespace lanescope::analysis
