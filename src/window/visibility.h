// Whether any part of the window is visible. A hidden window is not drawn.
#pragma once

#include "base/platform/display_server.h"

struct GLFWwindow;

namespace lanescope::ui {

/// Follows one window. On X11 a window completely covered by others counts as hidden; under a compositing window
/// manager, and on Wayland, only a minimised window does, because the program gets no more information.
class Visibility {
 public:
  explicit Visibility(GLFWwindow* window);
  /// Call once per frame or wait; it only checks a socket.
  bool hidden();

 private:
  GLFWwindow* window_;
  base::CoveredWindow x11_;
};

}  // namespace lanescope::ui
