// Where the user's own files are.
#pragma once

#include <filesystem>

namespace lanescope::base {

/// $HOME (%USERPROFILE% on Windows), or "/" without one.
std::filesystem::path home_folder();
/// $XDG_CONFIG_HOME/lanescope, else ~/.config/lanescope; %APPDATA%/lanescope on Windows. It need not exist.
std::filesystem::path settings_folder();

}  // namespace lanescope::base
