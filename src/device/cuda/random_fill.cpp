#include "device/cuda/random_fill.h"

#include <cstring>

#include "base/random.h"

namespace lanescope::device::cuda {
namespace {

// Compiler vectors of the size of SSE and NEON registers, four of them independent of each other.
using Vector = std::uint32_t __attribute__((vector_size(16)));
constexpr std::size_t kVectors = 4;

void step(Vector& x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
}

// Uses the upper 23 bits as the fraction of a float in [1, 2), minus 1.
void store(float* out, const Vector& x) {
  using Floats = float __attribute__((vector_size(16)));
  const Vector bits = (x >> 9) | 0x3f800000u;
  Floats values;
  static_assert(sizeof values == sizeof bits);
  std::memcpy(&values, &bits, sizeof values);
  values -= 1.0f;
  std::memcpy(out, &values, sizeof values);
}

}  // namespace

RandomFill::RandomFill(std::uint64_t seed) {
  base::Random random(seed);  // makes the lanes unrelated even for neighbouring seeds
  for (std::uint32_t& lane : state_) {
    lane = static_cast<std::uint32_t>(random.next() >> 32) | 1u;  // xorshift never leaves zero
  }
}

void RandomFill::fill(std::span<float> floats) {
  constexpr std::size_t kPerVector = kLanes / kVectors;
  Vector state[kVectors];
  static_assert(sizeof state == sizeof state_);
  std::memcpy(state, state_.data(), sizeof state);
  float* out = floats.data();
  std::size_t left = floats.size();
  for (; left >= kLanes; left -= kLanes, out += kLanes) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      step(state[v]);
      store(out + v * kPerVector, state[v]);
    }
  }
  if (left > 0) {
    float last[kLanes];
    for (std::size_t v = 0; v < kVectors; ++v) {
      step(state[v]);
      store(last + v * kPerVector, state[v]);
    }
    std::memcpy(out, last, left * sizeof(float));
  }
  std::memcpy(state_.data(), state, sizeof state);
}

}  // namespace lanescope::device::cuda
