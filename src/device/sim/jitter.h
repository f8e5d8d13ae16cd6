// Seeded random variation of costs.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "base/time.h"

namespace lanescope::device::sim {

/// Scales costs by a factor from a symmetric triangular distribution around 1, so that the means match the profile. The
/// same seed gives the same sequence.
class Jitter {
 public:
  Jitter(double spread, std::uint64_t seed) : spread_(spread), random_(seed) {}

  double factor() { return spread_ <= 0 ? 1 : 1 + spread_ * draw(); }
  base::Nanoseconds apply(base::Nanoseconds cost) {
    if (spread_ <= 0) return cost;
    const double exact = static_cast<double>(cost);
    return static_cast<base::Nanoseconds>(exact + exact * spread_ * draw() + 0.5);
  }

 private:
  /// Triangular in [-1, 1): the centred sum of the two halves of 64 random bits.
  double draw() {
    const std::uint64_t z = random_.next();
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    const auto sum = static_cast<std::int64_t>((z >> 32) + (z & 0xffffffffu));
    return static_cast<double>(sum - kHalf) * (1.0 / static_cast<double>(kHalf));
  }

  double spread_;
  base::Random random_;
};

}  // namespace lanescope::device::sim
