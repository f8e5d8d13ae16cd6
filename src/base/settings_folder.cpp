#include "base/settings_folder.h"

#include <cstdlib>

namespace lanescope::base {

std::filesystem::path home_folder() {
  const char* folder = std::getenv("HOME");
  return folder && *folder ? folder : "/";
}

std::filesystem::path settings_folder() {
  const char* configured = std::getenv("XDG_CONFIG_HOME");
  // The XDG specification says to ignore relative paths.
  const bool usable = configured && *configured == '/';
  return (usable ? std::filesystem::path(configured) : home_folder() / ".config") / "lanescope";
}

}  // namespace lanescope::base
