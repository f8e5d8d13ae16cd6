// Which knobs of a workload do what the advisor says.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice.h"
#include "prediction/predict.h"
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

struct PredictedTrial {
  Trial trial;
  Prediction prediction;
};
/// Of a card's trials the one that is predicted to gain most; where all are refused, the likeliest. Empty: nothing to
/// try. `known` keeps what was predicted, by assignments, for the next card of the same run.
using KnownPredictions = std::map<std::vector<std::string>, Prediction>;
std::optional<PredictedTrial> best_trial(const analysis::Card& card, const Recorded& recorded, KnownPredictions& known,
                                         std::chrono::milliseconds budget);

}  // namespace lanescope::prediction
