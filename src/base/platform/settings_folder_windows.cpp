#include "base/platform/paths.h"
#include "base/settings_folder.h"

namespace lanescope::base {

std::filesystem::path home_folder() {
  const std::string folder = environment("USERPROFILE");
  return folder.empty() ? std::filesystem::path("/") : path_of(folder);
}

std::filesystem::path state_folder() {
  const std::string folder = environment("LOCALAPPDATA");
  return (folder.empty() ? home_folder() : path_of(folder)) / "lanescope";
}

std::filesystem::path settings_folder() {
  const std::string folder = environment("APPDATA");
  return (folder.empty() ? home_folder() : path_of(folder)) / "lanescope";
}

}  // namespace lanescope::base
