// How much memory this machine has.
#pragma once

#include <cstdint>

namespace lanescope::base {

/// Of the machine, or of the container if that may have less; 0 where nobody says.
std::uint64_t machine_memory_bytes();

}  // namespace lanescope::base
