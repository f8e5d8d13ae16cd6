// What is pointed at and selected, by any input, and the events related to it.
#pragma once

#include <optional>

#include "inspect/event_ref.h"
#include "timeline/mark_shapes.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

struct ShellState;

/// What the mouse points at in the timeline, in this frame.
struct Pointed {
  std::optional<TimelineHit> hit;
  std::optional<NotRecordedHit> not_recorded;  ///< without a hit: nothing was recorded there
  std::optional<trace::LaneId> lane;           ///< lane of the row or the name under the mouse
  std::optional<Nanoseconds> at;               ///< instant under the mouse, over the lanes or the ruler
  std::optional<Nanoseconds> snapped;          ///< the same, snapped to an event's edge if one is near
  std::optional<MarkHit> mark;                 ///< a ruler, a bookmark or a note
};

/// Selects an event and its linked event, and freezes the view.
void select_event(ShellState& state, const EventRef& event);
/// Selects a time range, for which figures are then computed.
void select_range(ShellState& state, base::Nanoseconds from, base::Nanoseconds to);
/// Once per frame: updates what is related to the selection and to the hovered event, if either has changed.
void update_causes(ShellState& state);

}  // namespace lanescope::ui
