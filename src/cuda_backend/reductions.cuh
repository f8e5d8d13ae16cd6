// Kernels that sum. The order of summation depends on the shape only, never on the order in which blocks run.
#pragma once

#include "cuda_backend/elementwise.cuh"
#include "cuda_backend/mean_slots.h"

namespace lanescope::cuda_backend {

inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kMaxThreads = 1024;    ///< per block
inline constexpr unsigned kColumnThreads = 512;  ///< per block that sums columns

/// For a mean or a sum over many blocks, each block stores its sum here, and the last block to finish adds them up.
/// Kernels that run concurrently need separate slots.
inline constexpr unsigned kMeanBlocks = 256;
struct MeanSlot {
  double sums[kMeanBlocks];
  unsigned done;  ///< finished blocks; 0 between launches
};
static __device__ MeanSlot mean_slots[kMeanSlots];

struct Sum {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Largest {
  __device__ __forceinline__ float operator()(float a, float b) const { return a < b ? b : a; }
};

/// Combines the values of a warp's lanes; every lane gets the result.
template <class T, class Join>
__device__ __forceinline__ T join_warp(T value, Join join) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(0xffff'ffffu, value, distance));
  }
  return value;
}

/// Combines the values of a block's threads, which are whole warps along x; every thread gets the result.
template <class T, class Join>
__device__ T join_block(T value, T neutral, Join join) {
  __shared__ T of_warps[kMaxThreads / kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  value = join_warp(value, join);
  __syncthreads();  // the values of the previous call have been read
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  return join_warp(lane < warps ? of_warps[lane] : neutral, join);
}

/// Combines over the threads that share a row: a warp if the block has several rows (along y), otherwise the block.
template <class Join>
__device__ __forceinline__ float join_row(float value, float neutral, Join join) {
  return blockDim.x == kWarp ? join_warp(value, join) : join_block(value, neutral, join);
}

/// The sum of all elements. Blocks along x only: one block, or at most kMeanBlocks with a slot. Returns true in the one
/// thread that has the result.
__device__ __forceinline__ bool sum_of_all(const float* x, Index count, unsigned slot, double& sum) {
  sum = 0;
  for (Index i = first_element(); i < count;) {
    float part = 0;  // short sums in float: double is slow on most GPUs, and long float sums are inaccurate
    for (int term = 0; term < 32 && i < count; ++term, i += element_stride()) part += x[i];
    sum += part;
  }
  sum = join_block(sum, 0.0, Sum{});
  if (gridDim.x > 1) {
    MeanSlot& shared = mean_slots[slot];
    __shared__ bool last;
    if (threadIdx.x == 0) {
      shared.sums[blockIdx.x] = sum;
      __threadfence();  // makes the sum visible before the block counts as finished
      last = atomicAdd(&shared.done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return false;
    __threadfence();
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += __ldcg(&shared.sums[i]);
    sum = join_block(sum, 0.0, Sum{});
    if (threadIdx.x == 0) shared.done = 0;
  }
  return threadIdx.x == 0;
}

extern "C" __global__ void mean_reduce(const float* x, float* out, Index count, unsigned slot) {
  double sum = 0;
  if (sum_of_all(x, count, slot, sum)) out[0] = static_cast<float>(sum / static_cast<double>(count));
}

extern "C" __global__ void sum_reduce(const float* x, float* out, Index count, unsigned slot) {
  double sum = 0;
  if (sum_of_all(x, count, slot, sum)) out[0] = static_cast<float>(sum);
}

/// Threads: columns along x, rows along y, both powers of two, kColumnThreads together.
extern "C" __global__ void linear_bias_grad(const float* dout, float* db, Index m, Index n) {
  __shared__ float sums[kColumnThreads];
  const unsigned mine = threadIdx.y * blockDim.x + threadIdx.x;
  for (Index first = Index{blockIdx.x} * blockDim.x; first < n; first += Index{gridDim.x} * blockDim.x) {
    const Index column = first + threadIdx.x;
    float sum = 0;
    if (column < n) {
      for (Index row = threadIdx.y; row < m; row += blockDim.y) sum += dout[row * n + column];
    }
    __syncthreads();  // the previous columns have been summed
    sums[mine] = sum;
    for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.y < half) sums[mine] += sums[mine + half * blockDim.x];
    }
    if (threadIdx.y == 0 && column < n) db[column] = sums[mine];
  }
}

// Threads along x share a row. With kWarp of them, a block has several rows along y; with more, it has one.

extern "C" __global__ void log_softmax_forward(const float* x, float* out, Index m, Index n) {
  for (Index row = Index{blockIdx.x} * blockDim.y + threadIdx.y; row < m; row += Index{gridDim.x} * blockDim.y) {
    const float* in = x + row * n;
    float largest = -INFINITY;
    for (Index j = threadIdx.x; j < n; j += blockDim.x) largest = Largest{}(largest, in[j]);
    largest = join_row(largest, -INFINITY, Largest{});  // keeps expf() from overflowing
    float sum = 0;
    for (Index j = threadIdx.x; j < n; j += blockDim.x) sum += expf(in[j] - largest);
    const float log_sum = logf(join_row(sum, 0.0f, Sum{}));
    for (Index j = threadIdx.x; j < n; j += blockDim.x) out[row * n + j] = in[j] - largest - log_sum;
  }
}

extern "C" __global__ void log_softmax_backward(const float* dout, const float* out, float* dx, Index m, Index n) {
  for (Index row = Index{blockIdx.x} * blockDim.y + threadIdx.y; row < m; row += Index{gridDim.x} * blockDim.y) {
    float sum = 0;
    for (Index j = threadIdx.x; j < n; j += blockDim.x) sum += dout[row * n + j];
    sum = join_row(sum, 0.0f, Sum{});
    for (Index j = threadIdx.x; j < n; j += blockDim.x) {
      dx[row * n + j] = dout[row * n + j] - expf(out[row * n + j]) * sum;
    }
  }
}

/// One block. An invalid target makes the loss NaN.
extern "C" __global__ void nll_loss_forward(const float* x, const float* target, float* loss, Index m, Index n) {
  double sum = 0;
  for (Index row = threadIdx.x; row < m; row += blockDim.x) {
    const Index column = class_of(target[row], n);
    sum -= column < n ? x[row * n + column] : NAN;
  }
  sum = join_block(sum, 0.0, Sum{});
  if (threadIdx.x == 0) loss[0] = static_cast<float>(sum / static_cast<double>(m));
}

}  // namespace lanescope::cuda_backend
