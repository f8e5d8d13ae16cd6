// Formats numbers for display.
#pragma once

#include <string>

#include "analysis/pace.h"

namespace lanescope::ui {

/// With three or four significant digits: "3.40", "0.000412", "1,600".
std::string figure_text(double value);
/// A ratio: "4.25x", "0.06x", "187x"; in Chinese "4.25 倍".
std::string factor_text(double factor);
/// A change of speed, of which `factor` > 1 is a gain: "1.44x faster", "1.44x slower", "as fast".
std::string change_text(double factor);
/// The time per iteration: "162.1 µs"; "–" if unknown.
std::string pace_text(const analysis::Pace& pace);
/// The time per sample: "1.27 µs"; "–" if unknown.
std::string sample_text(const analysis::Pace& pace, double samples);

}  // namespace lanescope::ui
