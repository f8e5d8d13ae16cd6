#include "base/platform/crash.h"

namespace lanescope::base {

// Windows keeps reports of crashes itself.
bool install_crash_handler(const std::string&) { return false; }

}  // namespace lanescope::base
