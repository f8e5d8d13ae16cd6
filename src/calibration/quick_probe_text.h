// A quick probe as text, as `lanescope probe` prints it and the window reads it from a process of its own:
//
//   device sim:rtx4090
//   number link.h2d_pinned_gb_per_s 13.454 0.0021     key, value, relative uncertainty
//   op linear_forward 128 1000 1000 0 12.9 0.01       kernel, m, n, k, scalar, microseconds, relative uncertainty
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibration/quick_probe.h"

namespace lanescope::calibration {

std::string to_text(const QuickProbe& probe);
/// Empty if it is not such a text.
std::optional<QuickProbe> parse_quick_probe(std::string_view text);
/// "linear_forward,128,1000,1000,0"
std::string to_text(const ops::Op& op);
std::optional<ops::Op> parse_op(std::string_view text);

}  // namespace lanescope::calibration
