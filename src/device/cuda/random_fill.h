// Arbitrary values at about the speed of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::device::cuda {

/// Floats in [0, 1) of 23 bits: Marsaglia's xorshift32 in 16 lanes, which is cheap and good enough to look arbitrary.
class RandomFill {
 public:
  explicit RandomFill(std::uint64_t seed);
  /// `floats` at any alignment of a float.
  void fill(std::span<float> floats);

 private:
  static constexpr std::size_t kLanes = 16;
  alignas(64) std::array<std::uint32_t, kLanes> state_{};
};

}  // namespace lanescope::device::cuda
