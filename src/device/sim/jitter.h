// Seeded variation of costs.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace lanescope::device::sim {

/// Scales costs by a factor from a symmetric triangular distribution around 1, so that means stay what the profile
/// says. The same seed gives the same factors in the same order.
class Jitter {
 public:
  Jitter(double spread, std::uint64_t seed) : spread_(spread), state_(seed) {}

  double factor() { return spread_ <= 0 ? 1 : 1 + spread_ * draw(); }
  base::Nanoseconds apply(base::Nanoseconds cost) {
    if (spread_ <= 0) return cost;
    const double exact = static_cast<double>(cost);
    return static_cast<base::Nanoseconds>(exact + exact * spread_ * draw() + 0.5);
  }

 private:
  /// In [-1, 1), triangular: the sum of the two halves of 64 random bits, centred.
  double draw() {
    // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    const auto sum = static_cast<std::int64_t>((z >> 32) + (z & 0xffffffffu));
    return static_cast<double>(sum - kHalf) * (1.0 / static_cast<double>(kHalf));
  }

  double spread_;
  std::uint64_t state_;
};

}  // namespace lanescope::device::sim
