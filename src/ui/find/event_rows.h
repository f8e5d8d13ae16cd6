// The events of several lanes as one list in time order, of which only what is asked for is read.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ui/find/event_order.h"

namespace lanescope::ui {

/// A look at a trace, to be used under a Trace::ReadLock. Its costs grow with the rows and with what is asked for, not
/// with the events.
class EventRows {
 public:
  /// Names that are listed; empty: all.
  using Wanted = std::function<bool(trace::NameId)>;
  /// Events that are in [from, to) at least in part, of `lanes`; empty: of all.
  EventRows(const trace::Trace& trace, const std::vector<trace::LaneId>& lanes, Nanoseconds from, Nanoseconds to,
            Wanted wanted = {});

  std::uint64_t count() const;  ///< whatever their names
  /// Up to n events from `at` on, in order. Looks at kMostLooked of them at most; `cut` says when that was too few.
  std::vector<EventRef> from(const EventKey& at, std::size_t n, bool* cut = nullptr) const;
  /// Up to n events before `at`, the nearest first.
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
    trace::EventIndex place(const EventKey& at) const;  ///< of the first that is not before it
  };
  template <class Before>
  std::vector<EventRef> walk(const EventKey& at, std::size_t n, bool forward, Before comes_later, bool* cut) const;

  const trace::Trace& trace_;
  Wanted wanted_;
  std::vector<Source> sources_;
};

}  // namespace lanescope::ui
