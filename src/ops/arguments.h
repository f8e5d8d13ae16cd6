// The buffers that an op needs.
#pragma once

#include <cstddef>
#include <vector>

#include "ops/op.h"

namespace lanescope::ops {

/// The least number of elements of each argument, in the order listed at OpKind. For SgdStep, a single pair.
std::vector<std::size_t> least_elements(const Op& op);

}  // namespace lanescope::ops
