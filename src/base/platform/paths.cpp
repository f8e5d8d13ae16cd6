#include "base/platform/paths.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace lanescope::base {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path this_program() { return "/proc/self/exe"; }

fs::path find_program(const char* name) {
  const std::string path = environment("PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path candidate = fs::path(path.substr(at, end - at)) / name;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path program_folder() {
  std::error_code error;
  fs::path program = this_program();  // on Linux a link to it
  if (const fs::path target = fs::read_symlink(program, error); !error) program = target;
  return fs::exists(program, error) ? program.parent_path() : fs::path();
}

fs::path own_library(const char* name) {
  const fs::path here = program_folder(), installed = here.parent_path() / "lib" / "lanescope" / name;
  std::error_code error;
  return !fs::exists(here / name, error) && fs::exists(installed, error) ? installed : here / name;
}

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
