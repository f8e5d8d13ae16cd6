#include "window/window.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <ft2build.h>
#include <imgui.h>
#include FT_FREETYPE_H

namespace lanescope::ui {

std::string library_versions() {
  int major = 0, minor = 0, revision = 0;
  glfwGetVersion(&major, &minor, &revision);  // the portable program is linked with a newer one
  return fmt::format("Dear ImGui {}, GLFW {}.{}.{}, FreeType {}.{}.{}", IMGUI_VERSION, major, minor, revision,
                     FREETYPE_MAJOR, FREETYPE_MINOR, FREETYPE_PATCH);
}

}  // namespace lanescope::ui
