// `lanescope sweep`: runs the same loop repeatedly, varying one or two settings.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0; 1 if a point failed (the others are kept); 130 if ended early. Throws like run_headless().
int run_sweep(const SweepRequest& request);

}  // namespace lanescope::app
