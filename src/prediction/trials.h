// Which knobs of a workload do what the advisor says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice.h"
#include "workload/settings.h"

namespace lanescope::prediction {

/// What a click on "try it" sets ("log_interval=0"), each a trial of its own, the one that is likely to gain most
/// first. Empty: this workload has no knob for it, or it is set so already.
std::vector<std::string> trials_for(const analysis::Card& card, const workload::Settings& settings);

}  // namespace lanescope::prediction
