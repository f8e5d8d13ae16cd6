// Nanoseconds, without the modules that a watched program must not load.
#pragma once

#include <cstdint>

namespace lanescope::inject {

inline constexpr std::int64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;

}  // namespace lanescope::inject
