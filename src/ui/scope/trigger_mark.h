// How the trigger's instant looks on a timeline.
#pragma once

#include "ui/mark_surface.h"

namespace lanescope::ui {

/// A flag on the ruler with a line through the lanes; nothing where the instant is out of view.
void add_trigger_mark(const MarkSurface& surface, Nanoseconds instant);

}  // namespace lanescope::ui
