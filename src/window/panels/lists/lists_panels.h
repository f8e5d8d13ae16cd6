// The lower part of the middle area, and its lists. Each function draws into the current ImGui window, which the shell
// has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The lower part of the middle area: plots or one of the lists, with tabs to choose between them.
void draw_drawer(const Canvas& canvas);
void draw_event_list(const Canvas& canvas);
void draw_found(const Canvas& canvas);
void draw_marks_list(const Canvas& canvas);
void draw_statistics(const Canvas& canvas);
void draw_ranks(const Canvas& canvas);
/// With a line for every GPU.
float ranks_height(const ShellState& state);

}  // namespace lanescope::ui
