// What the system says of time that the standard library does not.
#pragma once

#include <cstdint>

namespace lanescope::base {

/// The processor time that this program has used.
double process_seconds();
/// The number by which the system knows the calling thread.
std::uint32_t thread_number();

}  // namespace lanescope::base
