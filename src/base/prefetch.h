// Asks for memory before it is read, where the next part is too far away for the processor to see it coming.
#pragma once

#include <cstddef>

namespace lanescope::base {

inline void prefetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  const auto* const first = static_cast<const char*>(begin);
  for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(first + at);
  if (bytes > 0) __builtin_prefetch(first + bytes - 1);
}

}  // namespace lanescope::base
