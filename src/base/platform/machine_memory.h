// How much memory this machine has.
#pragma once

#include <cstdint>

namespace lanescope::base {

/// The memory of the machine, or the container's limit if that is lower. 0 if unknown.
std::uint64_t machine_memory_bytes();

}  // namespace lanescope::base
