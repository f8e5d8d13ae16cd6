// `lanescope attach`: the user's own program, watched in the window or recorded into a file.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Returns the program's exit status, as a shell reports it.
int attach_program(const AttachRequest& request);

}  // namespace lanescope::app
