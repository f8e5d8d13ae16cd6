// Shows a folder in the desktop's own window.
#pragma once

#include <filesystem>

namespace lanescope::base {

/// False: there is no program for that. Does not wait.
bool open_folder(const std::filesystem::path& folder);

}  // namespace lanescope::base
