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
    std::uint32_t order = 0;  ///< rank among events with the same start; its last 8 bits are the row

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
  void sink_top();

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

inline void EventMerge::sink_top() {
  const std::size_t n = heap_.size();
  const Head head = heap_[0];
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
    if (max_events > 0) {
      --max_events;
    } else if (heap_[0].start != taken_at) {
      stopped_at_ = heap_[0].start;
      return false;
    }
    taken_at = heap_[0].start;
    Source& source = sources_[heap_[0].source];
    const trace::EventIndex index = source.next++;
    taker.take(source.row->event(index), std::as_const(source));
    if (source.next < source.last && (heap_[0].start = source.row->start(source.next)) < limit) {
      sink_top();
    } else {
      heap_[0] = heap_.back();
      heap_.pop_back();
      if (!heap_.empty()) sink_top();
    }
  }
  return true;
}

}  // namespace lanescope::analysis
