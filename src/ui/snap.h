// Where a hand that measures means an event's edge: times near the pointer snap to it.
#pragma once

#include <optional>

#include "ui/timeline.h"

namespace lanescope::ui {

struct Snapped {
  Nanoseconds at = 0;
  EventRef event;
  bool end = false;  ///< its end; else its start
};

inline constexpr float kSnapPx = 6;

/// The start or end of an event nearest to `x`, at most `reach` pixels from it: of the lane at height `y`, over all its
/// sub-rows; of all lanes on the screen where there is none (on the ruler). Costs a search per sub-row.
std::optional<Snapped> snap(const trace::Trace& trace, const Timeline& timeline, const TimeAxis& axis, float x, float y,
                            float reach = kSnapPx);
/// The same on one lane.
std::optional<Snapped> snap_on(const trace::Trace& trace, trace::LaneId lane, const TimeAxis& axis, float x,
                               float reach = kSnapPx);

}  // namespace lanescope::ui
