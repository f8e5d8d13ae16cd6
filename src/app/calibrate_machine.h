// `lanescope calibrate`: measures a GPU and writes a profile.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Throws base::UsageError when there is no GPU to measure, base::FileError, or base::Error when the device fails.
void calibrate_machine(const CalibrateRequest& request);

}  // namespace lanescope::app
