// References to events by their place in a trace.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace lanescope::trace {

struct EventRef {
  LaneId lane = 0;
  std::size_t row = 0;
  EventIndex index = 0;
  Event event;

  bool operator==(const EventRef& o) const { return lane == o.lane && row == o.row && index == o.index; }
};

inline EventRef event_ref(LaneId lane, std::size_t number, const Row& row, EventIndex i) {
  EventRef found{lane, number, i, row.event(i)};
  found.event.lane = lane;
  return found;
}

/// Consecutive events of one sub-row: [first, last).
struct EventRun {
  LaneId lane = 0;
  std::size_t row = 0;
  EventIndex first = 0, last = 0;

  bool operator==(const EventRun&) const = default;
};

/// Calls f(lane, row number, row) for every sub-row of the lanes whose kind satisfies `wanted`.
template <typename Wanted, typename F>
void for_rows(const Trace& trace, Wanted wanted, F f) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (!wanted(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) f(static_cast<LaneId>(l), r, lane.row(r));
  }
}

}  // namespace lanescope::trace
