// The program's code as a panel of the window.
#pragma once

#include "model/code_layout.h"
#include "window/canvas.h"

namespace lanescope::ui {

/// The tab of the lower part of the middle: its heads stand in the row of the tabs.
void draw_code_tab(const Canvas& canvas);
/// Beside the lanes of a presentation.
void draw_presented_code(const Canvas& canvas);
/// The width it wants there; 0: it is not shown, or there is no room.
float presented_code_width(const ShellState& state, const Fonts& fonts, float width);
/// A section of the side panel, while the tab is not open.
void draw_code_section(const Canvas& canvas);
/// The line of the code that the selected event is of, as one of its figures; nothing when there is none.
void draw_statement_figure(const Canvas& canvas);

}  // namespace lanescope::ui
