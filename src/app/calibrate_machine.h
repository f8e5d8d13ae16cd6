// `lanescope calibrate`: measures a GPU and writes a profile.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::UsageError if there is no GPU to measure, base::FileError, or base::Error if the device fails.
void calibrate_machine(const CalibrateRequest& request);

}  // namespace lanescope::app
