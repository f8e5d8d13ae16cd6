// The plots. Each function draws into the current ImGui window, which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

void draw_plots(const Canvas& canvas);
/// The height at which the plots shown are easy to read.
float plots_height(const ShellState& state);

}  // namespace lanescope::ui
