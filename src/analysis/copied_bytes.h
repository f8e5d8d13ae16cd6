// How much a copy moves, for sums.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/event.h"

namespace lanescope::analysis {

/// At most 1 TiB: no GPU has as much memory, but a file may claim any number, and sums must not overflow.
inline std::int64_t copied_bytes(const trace::Event& copy) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  return static_cast<std::int64_t>(std::min(trace::bytes_of(copy), kMost));
}

}  // namespace lanescope::analysis
