// Which knobs of a workload do what the advisor says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice.h"
#include "workload/settings.h"

namespace lanescope::prediction {

/// What one click on "try" sets.
struct Trial {
  std::vector<std::string> assignments;  ///< "log_interval=100": all at once
  /// An iteration does so many times the work afterwards (a larger batch): what it gains is to be told per row.
  double work = 1;

  bool operator==(const Trial&) const = default;
};

/// What could be tried against `card`, the likeliest first, three at most; which gains most, a prediction knows. Each
/// changes something and is allowed. Empty: this workload has no knob for it.
std::vector<Trial> trials_for(const analysis::Card& card, std::string_view workload,
                              const workload::Settings& settings);

}  // namespace lanescope::prediction
