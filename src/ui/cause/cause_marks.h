// Arrows, numbers and outlines over the lanes.
#pragma once

#include "ui/cause/cause.h"
#include "ui/mark_surface.h"

namespace lanescope::ui {

/// Outlines what is selected and what lights up with the event under the mouse; arrows from launches to operations; the
/// numbered path.
void add_causes(const MarkSurface& surface, const CauseState& cause);

}  // namespace lanescope::ui
