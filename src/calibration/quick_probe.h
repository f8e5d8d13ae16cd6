// Measures in some milliseconds what a prediction needs and its recording does not show. calibrate() measures the same
// numbers, and more, in up to a minute.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/calibrate.h"
#include "device/op.h"

namespace lanescope::calibration {

struct ProbedNumber {
  std::string key;      ///< as in a profile: "link.h2d_pinned_gb_per_s"
  double value = 0;     ///< in the profile's unit
  double relative = 0;  ///< two standard errors, as a share of the value
};

/// The time of all kernels of one op, with the GPU's pauses between them.
struct ProbedOp {
  ops::Op op;
  double us = 0;
  double relative = 0;
};

/// The longest copy whose rate is measured.
inline constexpr std::size_t kProbedCopyBytes = std::size_t{8} << 20;

struct QuickProbe {
  std::string device;  ///< "sim:rtx4090"
  std::vector<ProbedNumber> numbers;
  std::vector<ProbedOp> ops;
};

struct QuickProbeRequest {
  MakeDevice make;
  std::vector<ops::Op> ops;  ///< to be timed, too
};

/// Link rates in both directions from pinned and pageable memory, the cost of pinning, of calls, of launches and of
/// graphs, and the wake-up after a wait. Each rate takes some milliseconds of the
/// link. Throws base::Error if the device fails or its work cannot be recorded.
QuickProbe probe_quickly(const QuickProbeRequest& request);

/// The relative uncertainty of the median of measured values, as two standard errors. For normally distributed values,
/// the standard deviation is the interquartile range / 1.349, and the standard error of the median of n of them
/// sqrt(pi / 2) times that of their mean (J. F. Kenney and E. S. Keeping, "Mathematics of Statistics", part 1, 1962,
/// section 13.13). 1 if there are fewer than four values.
double uncertainty_of_median(std::vector<double> values);

// --- quick probe text ------------------------------------------------------------------------------------------------
// A quick probe as text, as `lanescope probe` prints it and the window reads it from a process of its own:
//
//   device sim:rtx4090
//   number link.h2d_pinned_gb_per_s 13.454 0.0021     key, value, relative uncertainty
//   op linear_forward 128 1000 1000 0 12.9 0.01       kernel, m, n, k, scalar, microseconds, relative uncertainty

std::string to_text(const QuickProbe& probe);
/// Empty if it is not such a text.
std::optional<QuickProbe> parse_quick_probe(std::string_view text);
/// "linear_forward,128,1000,1000,0"
std::string to_text(const ops::Op& op);
std::optional<ops::Op> parse_op(std::string_view text);

}  // namespace lanescope::calibration
