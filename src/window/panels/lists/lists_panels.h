// The lower part of the middle, and the lists in it. Each draws into the ImGui window that is current,
// which the shell has placed.
#pragma once

#include "window/canvas.h"

namespace lanescope::ui {

/// The lower part of the middle: plots, or one of the lists, with the tabs between which a person chooses.
void draw_drawer(const Canvas& canvas);
void draw_event_list(const Canvas& canvas);
void draw_found(const Canvas& canvas);
void draw_marks_list(const Canvas& canvas);

}  // namespace lanescope::ui
