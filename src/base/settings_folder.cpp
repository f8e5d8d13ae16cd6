#include "base/settings_folder.h"

#include "base/platform/paths.h"

namespace lanescope::base {

std::filesystem::path home_folder() {
  const std::string folder = environment("HOME");
  return folder.empty() ? "/" : folder;
}

namespace {

std::filesystem::path folder_in(const char* variable, const char* below_home) {
  const std::string configured = environment(variable);
  // The XDG specification says to ignore relative paths.
  const bool usable = configured.starts_with('/');
  return (usable ? std::filesystem::path(configured) : home_folder() / below_home) / "lanescope";
}

}  // namespace

std::filesystem::path settings_folder() { return folder_in("XDG_CONFIG_HOME", ".config"); }
std::filesystem::path state_folder() { return folder_in("XDG_STATE_HOME", ".local/state"); }

}  // namespace lanescope::base
