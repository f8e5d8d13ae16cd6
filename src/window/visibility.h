// Whether any part of the window is visible. A hidden window is not drawn.
#pragma once

#include <cstdint>
#include <memory>

struct GLFWwindow;
struct xcb_connection_t;

namespace lanescope::ui {

/// Follows one window. On X11 a window completely covered by others counts as hidden; under a compositing window
/// manager, and on Wayland, only a minimised window does, because the program gets no more information.
class Visibility {
 public:
  explicit Visibility(GLFWwindow* window);
  /// Call once per frame or wait; it only checks a socket.
  bool hidden();

 private:
  struct Disconnect {
    void operator()(xcb_connection_t* connection) const;
  };
  GLFWwindow* window_;
  std::unique_ptr<xcb_connection_t, Disconnect> x11_;  // null: not on X11
  bool covered_ = false;
};

}  // namespace lanescope::ui
