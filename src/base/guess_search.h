// Interpolation search in ascending values. Repetitive data, such as the iterations of a loop, is nearly linear, so
// interpolating between two ends lands close to the target and touches neighbouring memory. A binary search would miss
// the cache at every step. A bad guess costs at most twice a binary search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lanescope::base {

/// Returns the first i in [from, to) with value(i) > t, or `to` if there is none. value(i) returns std::int64_t and
/// ascends.
template <typename Value>
std::size_t first_above(std::size_t from, std::size_t to, std::int64_t t, Value&& value) {
  if (from >= to || value(from) > t) return from;
  if (value(to - 1) <= t) return to;
  std::size_t low = from, high = to - 1;  // value(low) <= t < value(high)
  const auto begin = static_cast<double>(value(low)), end = static_cast<double>(value(high));
  const double share = end > begin ? (static_cast<double>(t) - begin) / (end - begin) : 0;
  const std::size_t guess =
      std::min(high, low + static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(high - low)));
  std::size_t step = 1;
  if (value(guess) <= t) {
    for (low = guess; low + step < high && value(low + step) <= t; step *= 2) low += step;
    high = std::min(high, low + step);
  } else {
    for (high = guess; low + step < high && value(high - step) > t; step *= 2) high -= step;
    low = high - low > step ? high - step : low;
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (value(middle) <= t ? low : high) = middle;
  }
  return high;
}

/// The same, starting at a guess: cheap if it is near. For a search that is repeated along the values.
template <typename Value>
std::size_t first_above_near(std::size_t guess, std::size_t from, std::size_t to, std::int64_t t, Value&& value) {
  if (from >= to) return from;
  guess = std::clamp(guess, from, to - 1);
  std::size_t low = from, high = to;  // the result is in [low, high]
  std::size_t step = 1;
  if (value(guess) <= t) {
    for (low = guess + 1; low + step <= high && value(low + step - 1) <= t; step *= 2) low += step;
    high = std::min(high, low + step - 1);
  } else {
    for (high = guess; low + step <= high && value(high - step) > t; step *= 2) high -= step;
    low = high - low >= step ? high - step + 1 : low;
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (value(middle) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace lanescope::base
