// An op with random arguments, what the host reference makes of them, and how far another implementation may be from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "device/op.h"

namespace lanescope::gpu_test {

using Values = std::vector<float>;

struct OpCase {
  ops::Op op;
  std::vector<Values> before;    ///< the arguments
  std::vector<Values> expected;  ///< the same after the op
  /// By argument and element, how far it may be from `expected`; of an empty one nothing may differ in a single bit.
  std::vector<std::vector<double>> bounds;
};

/// Values in [-1, 1), or what the op needs (log-probabilities, classes). SgdStep: `pairs` element counts, or one pair
/// of m elements.
OpCase make_case(const ops::Op& op, std::uint32_t seed, std::vector<std::size_t> pairs = {});

/// Empty, or the first three elements that are further off than they may be, and how many there are.
std::string disagreement(const OpCase& c, const std::vector<Values>& after);

/// Ops and shapes that every implementation is tested with: 1, odd sizes, tall, wide, and around the sizes of warps,
/// blocks and tiles; none of more than `max_work` elements or multiplications.
std::vector<ops::Op> shapes_to_test(double max_work);

/// "linear_forward m=3 n=5 k=7"
std::string describe(const ops::Op& op);

}  // namespace lanescope::gpu_test
