// What is pointed at and what is selected, by whatever a person did it with, and what belongs to it.
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
  std::optional<trace::LaneId> lane;   ///< over its row or its name
  std::optional<Nanoseconds> at;       ///< over the lanes or the ruler
  std::optional<Nanoseconds> snapped;  ///< the same, on the edge of an event where one is near
  std::optional<MarkHit> mark;         ///< a ruler, a bookmark or a note
};

/// Selects an event and what belongs to it; the view stands still from then on.
void select_event(ShellState& state, const EventRef& event);
/// Selects a stretch of time and begins to work out its figures.
void select_range(ShellState& state, base::Nanoseconds from, base::Nanoseconds to);
/// Once per frame: what belongs to the selection and to what the mouse points at, when either has changed.
void update_causes(ShellState& state);

}  // namespace lanescope::ui
