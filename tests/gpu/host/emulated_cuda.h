// Runs CUDA kernels on the host, one thread of a block at a time, so that their indices and barriers can be tested
// without a GPU. A barrier or a shuffle that not all of its threads reach is an error. Include it before the kernels.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static  // blocks run one after the other
#define __launch_bounds__(threads)

namespace lanescope::emulated {

struct Dimensions {
  unsigned x = 1, y = 1;
};
inline Dimensions thread_index, block_index, block_size, grid_size;

/// The order in which runnable threads and blocks run: a missing barrier shows in one of them.
enum class Order { Forward, Backward, Shuffled };

/// Runs the kernel for all threads of all blocks. False: its threads deadlock.
bool run(Dimensions grid, Dimensions block, Order order, const std::function<void()>& kernel);

void wait_for_block();
std::uint64_t exchange_in_warp(std::uint64_t bits, unsigned distance);

}  // namespace lanescope::emulated

#define threadIdx ::lanescope::emulated::thread_index
#define blockIdx ::lanescope::emulated::block_index
#define blockDim ::lanescope::emulated::block_size
#define gridDim ::lanescope::emulated::grid_size

inline void __syncthreads() { lanescope::emulated::wait_for_block(); }
inline void __threadfence() {}

template <class T>
T __shfl_xor_sync(unsigned, T value, int distance) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = lanescope::emulated::exchange_in_warp(bits, static_cast<unsigned>(distance));
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

inline unsigned atomicAdd(unsigned* address, unsigned value) {
  const unsigned before = *address;
  *address += value;
  return before;
}

template <class T>
T __ldcg(const T* address) {
  return *address;
}
