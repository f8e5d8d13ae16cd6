// Where this system's fonts are.
#pragma once

#include <filesystem>
#include <vector>

namespace lanescope::base {

/// Those that come with the program, the user's own, and those of the system. They need not exist.
std::vector<std::filesystem::path> font_folders();

}  // namespace lanescope::base
