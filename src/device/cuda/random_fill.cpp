#include "device/cuda/random_fill.h"

#include <cstring>

namespace lanescope::device::cuda {
namespace {

// Vectors as the compiler knows them: SSE and NEON registers hold one each, and the four are independent.
using Vector = std::uint32_t __attribute__((vector_size(16)));
constexpr std::size_t kVectors = 4;

void step(Vector& x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
}

// The upper 23 bits as the fraction of a float in [1, 2), less 1.
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
  for (std::uint32_t& lane : state_) {  // splitmix64: neighbouring seeds give lanes that have nothing in common
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    lane = static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32) | 1u;  // zero would stay zero
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
