// `lanescope run --experiment`: one or both sides of an experiment, beside what was published.
#pragma once

#include "app/requests.h"

namespace lanescope::app {

/// Exit status 0, or 130 when it was ended early. Throws as run_headless().
int run_experiment(const ExperimentRequest& request);

}  // namespace lanescope::app
