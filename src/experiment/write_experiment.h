// Experiments as files: what parse_experiment() reads.
#pragma once

#include <string>

#include "experiment/experiment.h"

namespace lanescope::experiment {

/// The text of its file: parse_experiment() makes the same experiment of it. Values at their defaults are left out.
/// Times of a view are written in whole microseconds.
std::string to_toml(const Experiment& experiment);

}  // namespace lanescope::experiment
