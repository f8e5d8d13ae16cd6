// A small random number generator with the same output for every compiler and library.
#pragma once

#include <cstdint>

namespace lanescope::base {

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c): it scrambles a counter, so any seed works.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in [-bound, bound), in steps of bound / 2^23.
  float uniform(float bound) { return (static_cast<float>(next() >> 40) / 8388608.0f - 1.0f) * bound; }

 private:
  std::uint64_t state_;
};

}  // namespace lanescope::base
