#include "app/commands.h"
#include "base/error.h"

namespace lanescope::app {

int attach_program(const AttachRequest&) { throw base::UsageError(attach::why_not()); }

}  // namespace lanescope::app
