#include <GLFW/glfw3.h>

#include "base/error.h"
#include "base/translate.h"
#include "render/offscreen.h"

namespace lanescope::ui {

// A page has the one context of its canvas.
OffscreenContext::OffscreenContext() {
  throw base::FileError(base::tr("no OpenGL without a window: in the browser, pictures are made in the window"));
}
OffscreenContext::~OffscreenContext() = default;
void OffscreenContext::make_current() {}

bool gl_context_is_current() { return glfwGetCurrentContext() != nullptr; }

}  // namespace lanescope::ui
