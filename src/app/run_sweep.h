// `lanescope sweep`: the same loop again and again, with one or two settings changed from run to run.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0; 1 when a point failed (the others are kept); 130 when it was ended early. Throws as run_headless().
int run_sweep(const SweepRequest& request);

}  // namespace lanescope::app
