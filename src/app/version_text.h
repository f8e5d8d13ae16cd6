// What this program was built with: for reports of errors, and for whoever packages it.
#pragma once

#include <string>

namespace lanescope::app {

/// "GCC 12.2.0, Release; commit 0123456789ab": one line, in English.
std::string build_line();
/// Of --version: the first line is "lanescope 0.1.0".
std::string version_text();

}  // namespace lanescope::app
