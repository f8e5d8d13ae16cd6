// What this program was built with: for reports of errors, and for whoever packages it.
#pragma once

#include <string>

namespace lanescope::app {

/// "GCC 12.2.0, Release; commit 0123456789ab": one line, in English.
std::string build_line();
/// Of --version: the first line is "lanescope 0.1.0".
std::string version_text();
/// Its line "window": "Dear ImGui 1.89.1, GLFW 3.3.8, FreeType 2.12.1", or that there is none. In graphics.cpp,
/// no_graphics.cpp.
std::string window_libraries();

}  // namespace lanescope::app
