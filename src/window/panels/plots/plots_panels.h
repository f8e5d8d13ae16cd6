// The plots. Each draws into the ImGui window that is current,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_plots(const Canvas& canvas);
/// What the plots need at least of the middle column's height.
float plots_least_height(const ShellState& state, float middle_height);

}  // namespace lanescope::ui
