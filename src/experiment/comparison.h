// What was published beside what a run gave.
#pragma once

#include <optional>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/figure.h"

namespace lanescope::experiment {

struct Compared {
  const Published* published = nullptr;
  std::optional<double> ours;   ///< in the published unit; empty: that side has not run, or there is no such figure
  std::optional<double> ratio;  ///< ours / published
};

/// Either side may be missing. Numbers with settings of their own (Published::settings) are not among what a side's
/// run can tell, and stay empty here; see run_published() for those.
std::vector<Compared> compare(const Experiment& experiment, const Measured* before, const Measured* after);

}  // namespace lanescope::experiment
