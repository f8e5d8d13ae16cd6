#include <cerrno>

#include "base/platform/child_process.h"

namespace lanescope::base {

// A page runs no other programs.
ProgramRun run_program(const std::vector<std::string>&, const RunOptions&) {
  ProgramRun run;
  run.error = ENOSYS;
  return run;
}
bool open_folder(const std::filesystem::path&) { return false; }

}  // namespace lanescope::base
