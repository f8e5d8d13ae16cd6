#include "base/platform/page_browser.h"
#include "window/kept_content.h"

namespace lanescope::ui {

// The page asks the browser to keep it where a software renderer draws.
bool keeps_content(GLFWwindow*) { return base::browser::keeps_canvas(); }

}  // namespace lanescope::ui
