#include "window/window.h"

#include <GLFW/glfw3.h>

#if defined(__linux__)
// Declared here because GLFW's own header for it needs the headers of Xlib and Xrandr. Absent from a GLFW without X11.
extern "C" [[gnu::weak]] unsigned long glfwGetX11Window(GLFWwindow* window);
#else
static constexpr unsigned long (*glfwGetX11Window)(GLFWwindow* window) = nullptr;
#endif

namespace lanescope::ui {

Visibility::Visibility(GLFWwindow* window) : window_(window), x11_(glfwGetX11Window ? glfwGetX11Window(window) : 0) {}

bool Visibility::hidden() { return x11_.covered() || glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE; }

}  // namespace lanescope::ui
