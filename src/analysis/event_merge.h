// Merges the events of all rows of several lanes in start order, even while the trace grows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
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
  static constexpr Nanoseconds kNothing = std::numeric_limits<Nanoseconds>::max();
  struct Head {
    Nanoseconds start = kNothing;
    std::uint32_t source = 0;  ///< index

    /// Sources are in order.
    bool before(const Head& other) const {
      return start < other.start || (start == other.start && source < other.source);
    }
  };
  struct WatchedLane {
    const trace::Lane* lane;
    trace::LaneId id;
    std::size_t rows = 0;
  };

  bool refresh();
  void add_row(const WatchedLane& lane, std::size_t number);
  bool wanted(trace::LaneId id, trace::LaneKind kind) const;
  static std::uint32_t rank(trace::LaneKind kind);
  void compete();

  const trace::Trace& trace_;
  trace::Owners owners_;
  trace::GpuNumber only_;
  std::uint32_t kinds_ = 0;
  Nanoseconds from_ = kFromTheBeginning, context_from_ = kFromTheBeginning;
  std::size_t lanes_seen_ = 0;
  std::vector<WatchedLane> lanes_;
  std::vector<Source> sources_;  // by order
  // A tournament between the sources: who comes first is at 0. The two at 2n and 2n + 1 met at n > 0, where the later
  // one stays; source i begins at leaves_ + i.
  std::vector<Head> later_, heads_;
  std::size_t leaves_ = 0;
  Nanoseconds stopped_at_ = kFromTheBeginning;
};

template <class Taker>
bool EventMerge::run(Nanoseconds limit, std::size_t max_events, Taker&& taker) {
  const trace::Trace::ReadLock lock(trace_);
  if (refresh()) taker.lost();
  Source* const sources = sources_.data();
  Head* const later = later_.data();
  const std::size_t leaves = leaves_;
  Nanoseconds taken_at = kFromTheBeginning;
  for (;;) {
    Head head = later[0];
    if (head.start >= limit) return true;
    if (max_events > 0) {
      --max_events;
    } else if (head.start != taken_at) {
      stopped_at_ = head.start;
      return false;
    }
    taken_at = head.start;
    Source& source = sources[head.source];
    const std::size_t k = source.next % trace::kBlockEvents;
    if (k == 0 || source.block == nullptr) source.block = source.row->block(source.next);
    ++source.next;
    if (source.next >= source.last) {
      head.start = kNothing;
    } else {
      head.start = k + 1 < trace::kBlockEvents ? source.block->start[k + 1] : source.row->start(source.next);
    }
    for (std::size_t n = (leaves + head.source) / 2; n > 0; n /= 2) {
      if (later[n].before(head)) std::swap(later[n], head);
    }
    later[0] = head;
    taker.take(trace::event(*source.block, k), std::as_const(source));
  }
}

}  // namespace lanescope::analysis
