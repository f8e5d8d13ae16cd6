// How far times may lie that come from elsewhere: from files and from other programs.
#pragma once

#include "base/time.h"

namespace lanescope::base {

/// Times in a file are at most this far from 0, so that sums and differences of two fit into Nanoseconds.
inline constexpr Nanoseconds kMaxTime = (Nanoseconds{1} << 62) - 1;

/// 73 years: a clock that counts from 1970 gets there in 2043. What is said about a trace, its marks and which parts
/// were recorded, may lie as far from 0.
inline constexpr Nanoseconds kFarthest = Nanoseconds{1} << 61;
constexpr bool in_reach(Nanoseconds t) { return t >= -kFarthest && t <= kFarthest; }

/// No recording lasts half as long, which is 52 days: events farther from the others have wrong times. A thousand
/// events as long as this have a sum that fits into Nanoseconds.
inline constexpr Nanoseconds kLongestTrace = Nanoseconds{1} << 53;

}  // namespace lanescope::base
