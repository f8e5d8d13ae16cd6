// The view of two runs on one time axis, and the button that pins a run as A.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// At the right end of the last heading: "Pin as A"; once pinned, it opens and closes the comparison.
void draw_pin_button(const Canvas& canvas);
/// Replaces the timeline and the area below it.
void draw_compare(const Canvas& canvas);

}  // namespace lanescope::ui
