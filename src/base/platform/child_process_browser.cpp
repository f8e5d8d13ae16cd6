#include <cerrno>

#include "base/platform/child_process.h"

namespace lanescope::base {

// A page runs no other programs.
int start_child(const std::vector<std::string>&, const ChildStreams&, pid_t&) { return ENOSYS; }
int wait_for_child(pid_t) { return -1; }
bool child_has_ended(pid_t, int&) { return true; }

TemporaryFile temporary_file(std::string_view) {
  errno = ENOSYS;
  return {};
}

}  // namespace lanescope::base
