#include <system_error>

#include "base/platform/own_files.h"

namespace lanescope::base {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : program.parent_path();
}

fs::path own_library(const char* name) {
  const fs::path here = program_folder(), installed = here.parent_path() / "lib" / "lanescope" / name;
  std::error_code error;
  return !fs::exists(here / name, error) && fs::exists(installed, error) ? installed : here / name;
}

}  // namespace lanescope::base
