// Compares where the CPU stalls before and after a change.
#pragma once

#include <string>
#include <vector>

#include "analysis/evidence.h"
#include "prediction/predict.h"

namespace lanescope::prediction {

/// Largest change first.
std::vector<Stall> stalls_of(const analysis::Evidence& now, const base::NameTable& names_now,
                             const analysis::Evidence& then, const base::NameTable& names_then);
/// Empty if hardly anything changes; `iteration_ns` is the time per iteration before the change.
std::string stall_sentence(const std::vector<Stall>& stalls, double iteration_ns);

}  // namespace lanescope::prediction
