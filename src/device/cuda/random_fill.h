// Random values at about memory bandwidth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::device::cuda {

/// Floats in [0, 1) with 23 random bits, from Marsaglia's xorshift32 in 16 lanes. Cheap, and random enough for test
/// data.
class RandomFill {
 public:
  explicit RandomFill(std::uint64_t seed);
  /// Needs only the alignment of a float.
  void fill(std::span<float> floats);

 private:
  static constexpr std::size_t kLanes = 16;
  alignas(64) std::array<std::uint32_t, kLanes> state_{};
};

}  // namespace lanescope::device::cuda
