#include "base/platform/font_folders.h"

#include "base/platform/own_files.h"
#include "base/platform/paths.h"

namespace lanescope::base {

namespace fs = std::filesystem;

namespace {

void add_list(std::vector<fs::path>& folders, std::string_view list) {
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(':'));
    if (!item.empty()) folders.push_back(fs::path(item) / "fonts");
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
}

}  // namespace

std::vector<fs::path> font_folders() {
  std::vector<fs::path> folders;
  if (const std::string own = environment("XDG_DATA_HOME"); !own.empty()) folders.push_back(fs::path(own) / "fonts");
  if (const std::string home = environment("HOME"); !home.empty()) {
    folders.push_back(fs::path(home) / ".local/share/fonts");
    folders.push_back(fs::path(home) / ".fonts");
  }
  add_list(folders, environment("XDG_DATA_DIRS"));
  folders.emplace_back("/usr/local/share/fonts");
  folders.emplace_back("/usr/share/fonts");
  // Where the portable package has them.
  if (const fs::path here = program_folder(); !here.empty()) {
    folders.push_back(here.parent_path() / "share/lanescope/fonts");
  }
  return folders;
}

}  // namespace lanescope::base
