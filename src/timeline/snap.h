// Snaps times near the pointer to edges of events, for measuring.
#pragma once

#include <optional>

#include "timeline/timeline.h"

namespace lanescope::ui {

struct Snapped {
  Nanoseconds at = 0;
  EventRef event;
  bool end = false;  ///< the event's end; otherwise its start
};

inline constexpr float kSnapPx = 6;

/// The start or end of an event nearest to `x`, within `reach` pixels. Considers all sub-rows of the lane at height `y`
/// or, if there is no lane (on the ruler), all visible lanes. Costs one search per sub-row.
std::optional<Snapped> snap(const trace::Trace& trace, const Timeline& timeline, const TimeAxis& axis, float x, float y,
                            float reach = kSnapPx);
/// The same for one lane.
std::optional<Snapped> snap_on(const trace::Trace& trace, trace::LaneId lane, const TimeAxis& axis, float x,
                               float reach = kSnapPx);

}  // namespace lanescope::ui
