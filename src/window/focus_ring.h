// The focus of the keyboard on the screen: what can be reached, the ring around what has it, and the click that Enter
// makes. See shell/focus_walk.h.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// At the end of a frame: takes over the controls drawn in it and draws the ring.
void draw_focus(const Canvas& canvas);

/// Between the window system's new frame and ImGui's: moves the pointer to the pressed control and clicks, one step a
/// frame. `x` and `y` are where the mouse really is. True while a click is under way.
bool click_focused(FocusWalk& walk, float x, float y);

}  // namespace lanescope::ui
