// `lanescope attach --steer`: changes how much a running `lanescope attach --record` records.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Prints what is in effect then. Throws base::Error or base::UsageError.
int steer_recording(const SteerRequest& request);

}  // namespace lanescope::app
