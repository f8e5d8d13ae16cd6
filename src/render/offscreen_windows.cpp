#include <GLFW/glfw3.h>

#include "base/error.h"
#include "base/translate.h"
#include "render/offscreen.h"

namespace lanescope::ui {

using base::tr;

// Windows gives OpenGL only to a window, so there is one that nobody sees.
OffscreenContext::OffscreenContext() {
  if (!glfwInit()) throw base::FileError(tr("no OpenGL without a window: {}", tr("no display")));
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* const window = glfwCreateWindow(16, 16, "Lanescope", nullptr, nullptr);
  glfwDefaultWindowHints();
  if (window == nullptr) {
    throw base::FileError(tr("no OpenGL without a window: {}", tr("the driver offers no OpenGL 3.3")));
  }
  context_ = window;
  make_current();
}

OffscreenContext::~OffscreenContext() { glfwDestroyWindow(static_cast<GLFWwindow*>(context_)); }

void OffscreenContext::make_current() { glfwMakeContextCurrent(static_cast<GLFWwindow*>(context_)); }

bool gl_context_is_current() { return glfwGetCurrentContext() != nullptr; }

}  // namespace lanescope::ui
