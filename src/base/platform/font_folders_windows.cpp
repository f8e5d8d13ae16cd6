#include "base/platform/font_folders.h"

#include "base/platform/paths.h"

namespace lanescope::base {

std::vector<std::filesystem::path> font_folders() {
  std::vector<std::filesystem::path> folders{this_program().parent_path() / "fonts"};
  if (const std::string own = environment("LOCALAPPDATA"); !own.empty()) {
    folders.push_back(path_of(own) / "Microsoft" / "Windows" / "Fonts");
  }
  if (const std::string windows = environment("WINDIR"); !windows.empty()) {
    folders.push_back(path_of(windows) / "Fonts");
  }
  return folders;
}

}  // namespace lanescope::base
