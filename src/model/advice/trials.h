// The settings of a workload that implement the advisor's remedies, and what they would gain.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advisor.h"
#include "analysis/replay.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// What one click on "try" sets.
struct Trial {
  std::vector<std::string> assignments;  ///< "log_interval=100"; all are set at once
  /// The factor by which the work of an iteration grows (a larger batch). Gains are then per sample.
  double work = 1;
  std::optional<std::vector<analysis::Edit>> edits;  ///< edits_of() the change

  bool operator==(const Trial&) const = default;
};

/// Up to three things to try for `card`, the most promising first; a prediction can rank them by gain. Each changes
/// something and is allowed. Empty if this workload has no setting for it.
std::vector<Trial> trials_for(const analysis::Card& card, std::string_view workload,
                              const workload::Settings& settings);

/// The changes of a program that these changes of its settings are; empty if they do more to it than edits can say.
std::optional<std::vector<analysis::Edit>> edits_of(const workload::Settings& before, const workload::Settings& after);

/// What a trial would gain by a replay of the recording; refused where that cannot tell. The range is narrower than
/// that of the replay, which does not know whether a statement goes with its wait.
analysis::WhatIf prediction_of(const Trial& trial, const analysis::Replay& replay, const analysis::Link& link);
/// The factor by which the program gets faster: the middle of the range; 0 if refused.
double predicted_gain(const analysis::WhatIf& prediction);

/// What a prediction says of a change.
enum class Outlook : std::uint8_t { Unknown, Gain, NoGain, Loss };
Outlook outlook(const analysis::WhatIf& prediction);

using Predictions = std::map<std::vector<std::string>, analysis::WhatIf>;  ///< by assignments
/// The index of the trial with the largest predicted gain, or of a more promising one that gains as much; the first if
/// none is predicted to gain anything.
std::size_t best_of(const std::vector<Trial>& trials, const Predictions& known);

}  // namespace lanescope::ui
