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

  double factor() {
    if (spread_ <= 0) return 1;
    // splitmix64: one step gives 64 good bits, which are two uniform numbers.
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    constexpr double kUnit = 1.0 / 4294967296.0;
    const double sum = static_cast<double>(z >> 32) * kUnit + static_cast<double>(z & 0xffffffffu) * kUnit;
    return 1 + spread_ * (sum - 1);
  }
  base::Nanoseconds apply(base::Nanoseconds cost) {
    if (spread_ <= 0) return cost;
    return static_cast<base::Nanoseconds>(static_cast<double>(cost) * factor() + 0.5);
  }

 private:
  double spread_;
  std::uint64_t state_;
};

}  // namespace lanescope::device::sim
