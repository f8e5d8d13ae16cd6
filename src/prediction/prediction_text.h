// A prediction in words, the same on the command line, on the page and in the window.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "prediction/predict.h"

namespace lanescope::prediction {

/// "how fast pinned memory is copied to the GPU: 12 to 57.3 GB/s"; without a value if it has no single one.
std::vector<std::string> texts_of(const std::vector<Foreign>& numbers);

/// predicted_gain() at the slow and the fast end of the range; 0 if refused.
std::pair<double, double> predicted_gains(const Prediction& prediction);

/// "1.44 times as fast", "1.10 times as slow", "no change"; "from 1.10 times as slow to 1.30 times as fast, assumed" if
/// numbers are assumed. Per sample if the work of an iteration changes.
std::string gain_sentence(const Prediction& prediction);

}  // namespace lanescope::prediction
