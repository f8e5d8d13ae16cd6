// Arrows, numbers and outlines that show causes, drawn over the lanes.
#pragma once

#include "inspect/cause.h"
#include "timeline/mark_shapes.h"

namespace lanescope::ui {

/// Draws outlines around the selection and what is highlighted with the event under the mouse, arrows from launches to
/// operations, and the numbered path.
void add_causes(const MarkSurface& surface, const CauseState& cause);

}  // namespace lanescope::ui
