#include "window/library_versions.h"

#include <fmt/format.h>
#include <ft2build.h>
#include <imgui.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include FT_FREETYPE_H

namespace lanescope::ui {

std::string library_versions() {
  return fmt::format("Dear ImGui {}, GLFW {}.{}.{}, FreeType {}.{}.{}", IMGUI_VERSION, GLFW_VERSION_MAJOR,
                     GLFW_VERSION_MINOR, GLFW_VERSION_REVISION, FREETYPE_MAJOR, FREETYPE_MINOR, FREETYPE_PATCH);
}

}  // namespace lanescope::ui
