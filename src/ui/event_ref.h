// An event and where it is, and walking over the sub-rows that events lie in.
#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace lanescope::ui {

/// An event and where it is.
struct EventRef {
  trace::LaneId lane = 0;
  std::size_t row = 0;
  trace::EventIndex index = 0;
  trace::Event event;

  bool operator==(const EventRef& o) const { return lane == o.lane && row == o.row && index == o.index; }
};

inline EventRef event_ref(trace::LaneId lane, std::size_t number, const trace::Row& row, trace::EventIndex i) {
  EventRef found{lane, number, i, row.event(i)};
  found.event.lane = lane;
  return found;
}

/// Calls f(lane, row number, row) for every sub-row of the lanes whose kind `wanted` accepts.
template <typename Wanted, typename F>
void for_rows(const trace::Trace& trace, Wanted wanted, F f) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (!wanted(lane.info().kind)) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) f(static_cast<trace::LaneId>(l), r, lane.row(r));
  }
}

}  // namespace lanescope::ui
