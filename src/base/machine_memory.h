// How much memory this machine has.
#pragma once

#include <cstdint>

namespace lanescope::base {

/// The memory of the machine, or of the container if its limit is lower; 0 if it is not known.
std::uint64_t machine_memory_bytes();

}  // namespace lanescope::base
