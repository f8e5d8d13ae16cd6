// Runs a workload without a window, as fast as the device allows, and reports what was measured.
#pragma once

#include <string>

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0, or 130 when the run was ended early (what was measured until then is reported all the same). Throws
/// base::UsageError and base::FileError; output files are tried before anything runs.
int run_headless(const RunRequest& request);

/// On standard error, why "auto" is a simulated device, if it is.
void say_which_device(const std::string& asked);

}  // namespace lanescope::app
