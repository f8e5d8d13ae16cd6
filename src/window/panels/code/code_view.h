// The program's code as a panel of the window.
#pragma once

#include "model/code/code_layout.h"
#include "window/canvas.h"

namespace lanescope::ui {

/// The code tab in the lower part of the middle area; its column heads are in the row of the tabs.
void draw_code_tab(const Canvas& canvas);
/// A section of the side panel, while the tab is not open.
void draw_code_section(const Canvas& canvas);
/// The line of code that the selected event belongs to, as one of its figures; nothing if there is none.
void draw_statement_figure(const Canvas& canvas);

}  // namespace lanescope::ui
