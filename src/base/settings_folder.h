// Where the user's own files are.
#pragma once

#include <filesystem>

namespace lanescope::base {

/// $HOME, or "/" without one.
std::filesystem::path home_folder();
/// $XDG_CONFIG_HOME/lanescope, else ~/.config/lanescope. It need not exist.
std::filesystem::path settings_folder();
/// $XDG_STATE_HOME/lanescope, else ~/.local/state/lanescope: what nobody edits, such as crash reports. It need not
/// exist.
std::filesystem::path state_folder();

}  // namespace lanescope::base
