// The plots. Each function draws into the current ImGui window, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_plots(const Canvas& canvas);
/// The least height that the plots need in the middle column.
float plots_least_height(const ShellState& state, float middle_height);

}  // namespace lanescope::ui
