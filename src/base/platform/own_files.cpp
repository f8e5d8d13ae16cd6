#include "base/platform/own_files.h"

#include <system_error>

#include "base/platform/paths.h"

namespace lanescope::base {

namespace fs = std::filesystem;

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

}  // namespace lanescope::base
