// The events of several lanes as one list in time order, reading only what is needed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "inspect/event_order.h"

namespace lanescope::ui {

/// A view of a trace, for use under a Trace::ReadLock. Cost depends on the number of rows and of events requested, not
/// on the number of events in the trace.
class EventRows {
 public:
  /// A predicate for the names to list; empty: all.
  using Wanted = std::function<bool(trace::NameId)>;
  /// Events of `lanes` (empty: all lanes) that overlap [from, to).
  EventRows(const trace::Trace& trace, const std::vector<trace::LaneId>& lanes, Nanoseconds from, Nanoseconds to,
            Wanted wanted = {});

  std::uint64_t count() const;  ///< regardless of their names
  /// Up to n events from `at` on, in order. Reads at most kMostLooked events; sets `cut` if these were not enough.
  std::vector<EventRef> from(const EventKey& at, std::size_t n, bool* cut = nullptr) const;
  /// Up to n events before `at`, nearest first.
  std::vector<EventRef> before(const EventKey& at, std::size_t n) const;
  EventKey key(const EventRef& ref) const { return key_of(trace_, ref); }
  bool contains(const EventKey& key) const;

  static constexpr std::size_t kMostLooked = 200'000;

 private:
  struct Source {
    const trace::Row* row;
    trace::EventIndex first, last;
    trace::LaneKind kind;
    trace::LaneId lane;
    std::uint16_t number;

    EventKey key(trace::EventIndex i) const { return {row->start(i), kind, lane, number, i}; }
    trace::EventIndex place(const EventKey& at) const;  ///< of the first event not before it
  };
  template <class Before>
  std::vector<EventRef> walk(const EventKey& at, std::size_t n, bool forward, Before comes_later, bool* cut) const;

  const trace::Trace& trace_;
  Wanted wanted_;
  std::vector<Source> sources_;
};

}  // namespace lanescope::ui
