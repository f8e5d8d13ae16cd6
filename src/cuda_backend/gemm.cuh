// Matrix products without cuBLAS. A block computes 64 x 64 results, and a thread 4 x 4 of them, from tiles in shared
// memory with a depth of 16. While one pair of tiles is used, the next is prefetched into registers.
#pragma once

#include "cuda_backend/elementwise.cuh"

namespace lanescope::cuda_backend {

inline constexpr unsigned kTile = 64;
inline constexpr unsigned kDepth = 16;
inline constexpr unsigned kEach = 4;  ///< results of a thread along each side, and elements of a tile that it loads
inline constexpr unsigned kGemmThreads = (kTile / kEach) * (kTile / kEach);
static_assert(kTile * kDepth == kGemmThreads * kEach);

/// One factor. A line is a row of the result for the left factor, and a column for the right one. Products are summed
/// along its depth.
struct Factor {
  const float* data;
  Index lines;
  Index leading;  ///< elements from one line to the next (kDeep: depth is contiguous), otherwise from one depth to the
                  ///< next
};

/// Which element of a tile this thread loads in turn `turn`. Neighbouring threads load neighbouring memory.
template <bool kDeep>
__device__ __forceinline__ void place_in_tile(unsigned turn, unsigned& line, unsigned& depth) {
  const unsigned element = threadIdx.x + turn * kGemmThreads;
  line = kDeep ? element / kDepth : element % kTile;
  depth = kDeep ? element % kDepth : element / kTile;
}

template <bool kDeep>
__device__ __forceinline__ void load_tile(const Factor& from, Index first_line, Index first_depth, Index depth,
                                          float (&to)[kEach]) {
#pragma unroll
  for (unsigned turn = 0; turn < kEach; ++turn) {
    unsigned in_line = 0, in_depth = 0;
    place_in_tile<kDeep>(turn, in_line, in_depth);
    const Index line = first_line + in_line, d = first_depth + in_depth;
    const bool inside = line < from.lines && d < depth;
    to[turn] = inside ? from.data[kDeep ? line * from.leading + d : d * from.leading + line] : 0.0f;
  }
}

// Padded by four: rows stay aligned to 16 bytes and use different banks.
using Tile = float[kDepth][kTile + 4];

template <bool kDeep>
__device__ __forceinline__ void store_tile(const float (&from)[kEach], Tile& to) {
#pragma unroll
  for (unsigned turn = 0; turn < kEach; ++turn) {
    unsigned line = 0, depth = 0;
    place_in_tile<kDeep>(turn, line, depth);
    to[depth][line] = from[turn];
  }
}

/// c[i, j] = bias[j] + sum over d of a(i, d) b(j, d). A null bias means none.
template <bool kDeepA, bool kDeepB>
__device__ __forceinline__ void multiply(const Factor& a, const Factor& b, Index depth, const float* bias, float* c) {
  alignas(16) __shared__ Tile tile_a;
  alignas(16) __shared__ Tile tile_b;
  const unsigned x = threadIdx.x % (kTile / kEach) * kEach, y = threadIdx.x / (kTile / kEach) * kEach;
  const Index tiles_across = (b.lines + kTile - 1) / kTile, tiles_down = (a.lines + kTile - 1) / kTile;

  for (Index tile = blockIdx.x; tile < tiles_across * tiles_down; tile += gridDim.x) {
    const Index first_row = tile / tiles_across * kTile, first_column = tile % tiles_across * kTile;
    float results[kEach][kEach] = {};
    float next_a[kEach], next_b[kEach];
    load_tile<kDeepA>(a, first_row, 0, depth, next_a);
    load_tile<kDeepB>(b, first_column, 0, depth, next_b);
    for (Index d = 0; d < depth; d += kDepth) {
      __syncthreads();  // the previous tiles are no longer needed
      store_tile<kDeepA>(next_a, tile_a);
      store_tile<kDeepB>(next_b, tile_b);
      __syncthreads();
      if (d + kDepth < depth) {
        load_tile<kDeepA>(a, first_row, d + kDepth, depth, next_a);
        load_tile<kDeepB>(b, first_column, d + kDepth, depth, next_b);
      }
#pragma unroll
      for (unsigned i = 0; i < kDepth; ++i) {
#pragma unroll
        for (unsigned r = 0; r < kEach; ++r) {
#pragma unroll
          for (unsigned s = 0; s < kEach; ++s) results[r][s] += tile_a[i][y + r] * tile_b[i][x + s];
        }
      }
    }
#pragma unroll
    for (unsigned r = 0; r < kEach; ++r) {
#pragma unroll
      for (unsigned s = 0; s < kEach; ++s) {
        const Index row = first_row + y + r, column = first_column + x + s;
        if (row < a.lines && column < b.lines) {
          c[row * b.lines + column] = results[r][s] + (bias ? bias[column] : 0.0f);
        }
      }
    }
  }
}

/// out[m,n] = x[m,k] w[n,k]^T + bias[n]
extern "C" __global__ void __launch_bounds__(kGemmThreads)
    linear_forward(const float* x, const float* w, const float* bias, float* out, Index m, Index n, Index k) {
  multiply<true, true>({x, m, k}, {w, n, k}, k, bias, out);
}

/// dw[n,k] = dout[m,n]^T x[m,k]
extern "C" __global__ void __launch_bounds__(kGemmThreads)
    linear_weight_grad(const float* dout, const float* x, float* dw, Index m, Index n, Index k) {
  multiply<false, false>({dout, n, n}, {x, k, k}, m, nullptr, dw);
}

/// dx[m,k] = dout[m,n] w[n,k]
extern "C" __global__ void __launch_bounds__(kGemmThreads)
    linear_input_grad(const float* dout, const float* w, float* dx, Index m, Index n, Index k) {
  multiply<true, false>({dout, m, n}, {w, k, k}, n, nullptr, dx);
}

}  // namespace lanescope::cuda_backend
