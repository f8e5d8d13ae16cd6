// What the window was built with.
#pragma once

#include <string>

namespace lanescope::ui {

/// "Dear ImGui 1.86, GLFW 3.3.8, FreeType 2.12.1"
std::string library_versions();

}  // namespace lanescope::ui
