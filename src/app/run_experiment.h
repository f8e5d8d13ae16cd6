// `lanescope run --experiment`: runs one or both sides of an experiment and compares them with the published numbers.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0, or 130 if ended early. Throws like run_headless().
int run_experiment(const ExperimentRequest& request);

}  // namespace lanescope::app
