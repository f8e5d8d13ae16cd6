// The view of two runs on one clock, and the button that pins a run as the first of them.
#pragma once

#include "ui/shell_state.h"

namespace lanescope::ui {

/// Once per frame: pins, follows the run, says so.
void update_compare(ShellState& state);
/// At the right end of the heading that was drawn last: "Pin as A"; then it opens and closes the view of both.
void draw_pin_button(const Canvas& canvas);
/// In the place of the timeline and what is below it.
void draw_compare(const Canvas& canvas);
/// A key that is held down while the view is open; false: it is not, or that key does nothing there.
bool hold_compare(ShellState& state, Action action);

}  // namespace lanescope::ui
