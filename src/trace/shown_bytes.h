// How much a copy moves, for texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "trace/event.h"

namespace lanescope::trace {

/// At most what a signed number holds: a file may claim any number.
inline std::int64_t shown_bytes(const Event& copy) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes_of(copy), std::numeric_limits<std::int64_t>::max()));
}

}  // namespace lanescope::trace
