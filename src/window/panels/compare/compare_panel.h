// The view of two runs on one time axis.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// Replaces the timeline and the area below it.
void draw_compare(const Canvas& canvas);

}  // namespace lanescope::ui
