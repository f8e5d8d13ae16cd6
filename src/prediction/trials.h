// The settings of a workload that implement the advisor's remedies.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advisor.h"
#include "prediction/predict.h"
#include "workload/settings.h"

namespace lanescope::prediction {

/// What one click on "try" sets.
struct Trial {
  std::vector<std::string> assignments;  ///< "log_interval=100"; all are set at once
  /// The factor by which the work of an iteration grows (a larger batch). Gains are then per sample.
  double work = 1;

  bool operator==(const Trial&) const = default;
};

/// Up to three things to try for `card`, the most promising first; a prediction can rank them by gain. Each changes
/// something and is allowed. Empty if this workload has no setting for it.
std::vector<Trial> trials_for(const analysis::Card& card, std::string_view workload,
                              const workload::Settings& settings);

using KnownPredictions = std::map<std::vector<std::string>, Prediction>;  ///< by assignments
/// The index of the trial with the largest predicted gain, or of a more promising one that gains as much; the first if
/// none is predicted to gain anything.
std::size_t best_of(const std::vector<Trial>& trials, const KnownPredictions& known);

struct PredictedTrial {
  Trial trial;
  Prediction prediction;
};
/// The trial of a card with the largest predicted gain; if all are refused, the most promising. Empty if there is
/// nothing to try. `known` keeps the predictions for further cards of the same run.
std::optional<PredictedTrial> best_trial(const analysis::Card& card, const Recorded& recorded, KnownPredictions& known,
                                         std::chrono::milliseconds budget);

}  // namespace lanescope::prediction
