// The view of two runs on one clock, and the button that pins a run as the first of them.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// At the right end of the heading that was drawn last: "Pin as A"; then it opens and closes the view of both.
void draw_pin_button(const Canvas& canvas);
/// In the place of the timeline and what is below it.
void draw_compare(const Canvas& canvas);

}  // namespace lanescope::ui
