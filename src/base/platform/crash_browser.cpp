#include "base/platform/crash.h"

namespace lanescope::base {

// The browser shows its own.
bool install_crash_handler(const std::string&) { return false; }

}  // namespace lanescope::base
