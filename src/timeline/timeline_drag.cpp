#include "timeline/timeline_drag.h"

#include <cmath>

namespace lanescope::ui {
namespace {

// Updates `best` if an edge is nearer to `x`.
void nearest_edge(const trace::Trace& trace, trace::LaneId lane, const TimeAxis& axis, float x, float& best,
                  std::optional<Snapped>& found) {
  const Nanoseconds t = axis.to_ns(x);
  const trace::Lane& l = trace.lane(lane);
  for (std::size_t r = 0; r < l.row_count(); ++r) {
    const trace::Row& row = l.row(r);
    const trace::EventIndex first = row.first();
    const trace::EventIndex last = row.last();
    const auto consider = [&](trace::EventIndex i, bool end) {
      const Nanoseconds at = end ? row.end(i) : row.start(i);
      const float distance = std::abs(axis.to_px(at) - x);
      if (distance >= best) return;
      best = distance;
      found = Snapped{at, EventRef{lane, r, i, row.event(i)}, end};
      found->event.event.lane = lane;
    };
    // The events of a row are in order: the edges next to t are those of the event that ends after it, and the end of
    // the previous one.
    const trace::EventIndex i = row.first_ending_after(t, first, last);
    if (i < last) {
      consider(i, false);
      consider(i, true);
    }
    if (i > first) consider(i - 1, true);
  }
}

}  // namespace

std::optional<Snapped> snap_on(const trace::Trace& trace, trace::LaneId lane, const TimeAxis& axis, float x,
                               float reach) {
  const trace::Trace::ReadLock lock(trace);
  std::optional<Snapped> found;
  float best = std::nextafter(reach, reach + 1);
  nearest_edge(trace, lane, axis, x, best, found);
  return found;
}

std::optional<Snapped> snap(const trace::Trace& trace, const Timeline& timeline, const TimeAxis& axis, float x, float y,
                            float reach) {
  if (const auto lane = timeline.lane_at(y)) return snap_on(trace, *lane, axis, x, reach);
  const trace::Trace::ReadLock lock(trace);
  std::optional<Snapped> found;
  float best = std::nextafter(reach, reach + 1);
  for (const trace::LaneId lane : timeline.lanes_between(0, 32'768)) {
    nearest_edge(trace, lane, axis, x, best, found);
  }
  return found;
}

}  // namespace lanescope::ui
