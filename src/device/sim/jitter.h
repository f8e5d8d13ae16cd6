// Seeded random variation of costs.
#pragma once

#include <cstdint>
#include <utility>

#include "base/random.h"
#include "base/time.h"

namespace lanescope::device::sim {

/// Scales costs by a factor from a symmetric triangular distribution around 1, so that the means match the profile. The
/// same seed gives the same sequence.
class Jitter {
 public:
  /// `gpu_spread`: of what the GPU does; negative: as what the CPU does.
  Jitter(double spread, double gpu_spread, std::uint64_t seed)
      : spread_(spread), gpu_spread_(gpu_spread < 0 ? spread : gpu_spread), random_(seed), drawn_(triangular()) {}

  double factor() { return factor(spread_); }
  double gpu_factor() { return factor(gpu_spread_); }
  base::Nanoseconds apply(base::Nanoseconds cost) { return apply(cost, spread_); }
  base::Nanoseconds apply_to_gpu(base::Nanoseconds cost) { return apply(cost, gpu_spread_); }

 private:
  double factor(double spread) { return spread <= 0 ? 1 : 1 + spread * draw(); }
  [[gnu::always_inline]] base::Nanoseconds apply(base::Nanoseconds cost, double spread) {  // in every call
    if (spread <= 0) return cost;
    const double exact = static_cast<double>(cost);
    return static_cast<base::Nanoseconds>(exact + exact * spread * draw() + 0.5);
  }
  /// Drawn ahead: what a call costs decides at once what happens next, and must not wait for the generator.
  double draw() { return std::exchange(drawn_, triangular()); }
  /// Triangular in [-1, 1): the centred sum of the two halves of 64 random bits.
  double triangular() {
    const std::uint64_t z = random_.next();
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    const auto sum = static_cast<std::int64_t>((z >> 32) + (z & 0xffffffffu));
    return static_cast<double>(sum - kHalf) * (1.0 / static_cast<double>(kHalf));
  }

  double spread_, gpu_spread_;
  base::Random random_;
  double drawn_;
};

}  // namespace lanescope::device::sim
