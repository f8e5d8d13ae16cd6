// Whether a window keeps its content from frame to frame.
#pragma once

struct GLFWwindow;

namespace lanescope::ui {

/// With a software renderer, a swap usually copies the back buffer to the window and leaves it as it is, so that only
/// what changed has to be drawn again. No standard promises that, so it is tried with a few swaps. False with a GPU,
/// which is fast enough to draw everything. The window's context must be current; clears the window.
bool keeps_content(GLFWwindow* window);

}  // namespace lanescope::ui
