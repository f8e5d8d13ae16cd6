#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/platform/paths.h"

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

}  // namespace lanescope::base
