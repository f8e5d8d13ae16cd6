#include "base/platform/paths.h"
#include "base/settings_folder.h"

namespace lanescope::base {

std::filesystem::path home_folder() {
  const std::string folder = environment("HOME");
  return folder.empty() ? "/" : folder;
}

std::filesystem::path settings_folder() {
  const std::string configured = environment("XDG_CONFIG_HOME");
  // The XDG specification says to ignore relative paths.
  const bool usable = configured.starts_with('/');
  return (usable ? std::filesystem::path(configured) : home_folder() / ".config") / "lanescope";
}

}  // namespace lanescope::base
