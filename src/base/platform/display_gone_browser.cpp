#include "base/platform/display_gone.h"

namespace lanescope::base {

void when_display_goes(void (*)()) {}

}  // namespace lanescope::base
