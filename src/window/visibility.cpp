#include "window/visibility.h"

#include <GLFW/glfw3.h>
#include <xcb/xcb.h>

#include <cstdlib>

// Declared here because GLFW's own header for it needs the headers of Xlib and Xrandr. Absent from a GLFW without X11.
extern "C" [[gnu::weak]] unsigned long glfwGetX11Window(GLFWwindow* window);

namespace lanescope::ui {

void Visibility::Disconnect::operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }

Visibility::Visibility(GLFWwindow* window) : window_(window) {
  const unsigned long id = glfwGetX11Window ? glfwGetX11Window(window) : 0;
  if (id == 0) return;
  // GLFW does not report how visible a window is; a second connection can ask for it, too.
  x11_.reset(xcb_connect(nullptr, nullptr));
  if (xcb_connection_has_error(x11_.get())) {
    x11_.reset();
    return;
  }
  const std::uint32_t events = XCB_EVENT_MASK_VISIBILITY_CHANGE;
  xcb_change_window_attributes(x11_.get(), static_cast<xcb_window_t>(id), XCB_CW_EVENT_MASK, &events);
  xcb_flush(x11_.get());
}

bool Visibility::hidden() {
  while (xcb_generic_event_t* event = x11_ ? xcb_poll_for_event(x11_.get()) : nullptr) {
    if ((event->response_type & 0x7f) == XCB_VISIBILITY_NOTIFY) {
      const auto* change = reinterpret_cast<const xcb_visibility_notify_event_t*>(event);
      covered_ = change->state == XCB_VISIBILITY_FULLY_OBSCURED;
    }
    std::free(event);
  }
  return covered_ || glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE;
}

}  // namespace lanescope::ui
