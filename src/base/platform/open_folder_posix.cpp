#include "base/platform/child_process.h"
#include "base/platform/open_folder.h"

namespace lanescope::base {

bool open_folder(const std::filesystem::path& folder) {
  pid_t child = 0;
  return start_child({"xdg-open", folder.string()}, {}, child) == 0;
}

}  // namespace lanescope::base
