// Mutates a session file as what it is: chunks, whose checksums it sets right. Bytes alone would hardly pass them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foreign.h"

namespace lanescope::fuzz {

/// What LLVMFuzzerCustomMutator() does.
std::size_t mutate_session(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed);

}  // namespace lanescope::fuzz
