// Runs a workload without a window, as fast as the device allows, and reports the results.
#pragma once

#include <string>

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0, or 130 if the run was ended early (the results so far are reported nevertheless). Throws
/// base::UsageError and base::FileError. Checks output files before the run.
int run_headless(const RunRequest& request);

/// Explains on standard error why "auto" selected a simulated device, if it did.
void explain_device_choice(const std::string& asked);

}  // namespace lanescope::app
