// Selects the kernel, grid and arguments of an op. The caller starts the kernel: on a GPU, or on the host in a test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "cuda_backend/gemm.cuh"
#include "cuda_backend/reductions.cuh"
#include "device/cuda/api.h"
#include "device/op.h"

namespace lanescope::cuda_backend {

struct Grid {
  unsigned blocks = 1;
  unsigned threads_x = 1, threads_y = 1;
};

inline constexpr unsigned kElementThreads = 256;
inline constexpr unsigned kMaxBlocks = 4096;  ///< more than any GPU runs at once; kernels stride over the rest
inline constexpr device::cuda::Status kInvalidValue = 1;  // cudaErrorInvalidValue

/// One block per `each` items, up to `most` blocks.
inline unsigned blocks_for(Index items, Index each, unsigned most = kMaxBlocks) {
  return static_cast<unsigned>(std::clamp<Index>((items + each - 1) / each, 1, most));
}

inline Grid grid_of_elements(Index count) { return {blocks_for(count, kElementThreads), kElementThreads, 1}; }

inline Grid grid_of_rows(Index rows, Index columns) {
  if (columns <= 1024) return {blocks_for(rows, 8, 16 * kMaxBlocks), kWarp, 8};  // a warp per row
  return {blocks_for(rows, 1, 16 * kMaxBlocks), columns <= 8192 ? 256u : kMaxThreads, 1};
}

inline Grid grid_of_columns(Index columns) {
  unsigned x = 1;
  while (x < kWarp && x < columns) x *= 2;
  return {blocks_for(columns, x), x, kColumnThreads / x};
}

inline Grid grid_of_tiles(Index rows, Index columns) {
  const Index tiles = ((rows + kTile - 1) / kTile) * ((columns + kTile - 1) / kTile);
  return {blocks_for(tiles, 1, 16 * kMaxBlocks), kGemmThreads, 1};
}

inline Grid grid_of_mean(Index count, unsigned slot) {
  const Index each = Index{kColumnThreads} * 8;
  return {slot == kNoMeanSlot ? 1u : blocks_for(count, each, kMeanBlocks), kColumnThreads, 1};
}

inline bool pairs_of(std::span<const device::cuda::Api::Arg> args, SgdPairs& pairs) {
  if (args.empty() || args.size() % 2 != 0 || args.size() > 2 * kSgdPairs) return false;
  Index total = 0;
  for (std::size_t i = 0; i < kSgdPairs; ++i) {
    const bool given = 2 * i < args.size();
    if (given) total += std::min(args[2 * i].elements, args[2 * i + 1].elements);
    pairs.parameters[i] = given ? args[2 * i].data : nullptr;
    pairs.gradients[i] = given ? args[2 * i + 1].data : nullptr;
    pairs.end[i] = total;
  }
  return true;
}

/// Calls start(kernel, grid, arguments...), which starts the kernel and returns a status. `mean_slot` is below
/// kMeanSlots and not in use by another stream, or kNoMeanSlot. Handles all ops except Spin, which needs the GPU's
/// clock.
template <class Start>
device::cuda::Status dispatch(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, unsigned mean_slot,
                              const Start& start) {
  const Index m = static_cast<Index>(op.m), n = static_cast<Index>(op.n), k = static_cast<Index>(op.k);
  const Index count = m * n;
  const auto p = [&](std::size_t i) { return args[i].data; };
  const auto given = [&](std::size_t needed) { return args.size() >= needed; };
  switch (op.kind) {
    case ops::OpKind::LinearForward:
      if (!given(4)) break;
      return start(&linear_forward, grid_of_tiles(m, n), p(0), p(1), p(2), p(3), m, n, k);
    case ops::OpKind::LinearWeightGrad:
      if (!given(3)) break;
      return start(&linear_weight_grad, grid_of_tiles(n, k), p(0), p(1), p(2), m, n, k);
    case ops::OpKind::LinearInputGrad:
      if (!given(3)) break;
      return start(&linear_input_grad, grid_of_tiles(m, k), p(0), p(1), p(2), m, n, k);
    case ops::OpKind::LinearBiasGrad:
      if (!given(2)) break;
      return start(&linear_bias_grad, grid_of_columns(n), p(0), p(1), m, n);
    case ops::OpKind::ReluForward:
      if (!given(2)) break;
      return start(&relu_forward, grid_of_elements(count), p(0), p(1), count);
    case ops::OpKind::ReluBackward:
      if (!given(3)) break;
      return start(&relu_backward, grid_of_elements(count), p(0), p(1), p(2), count);
    case ops::OpKind::MseForward:
      if (!given(3)) break;
      return start(&mse_forward, grid_of_elements(count), p(0), p(1), p(2), count);
    case ops::OpKind::MeanReduce:
      if (!given(2)) break;
      return start(&mean_reduce, grid_of_mean(count, mean_slot), p(0), p(1) + (k - 1), count, mean_slot);
    case ops::OpKind::MseBackward:
      if (!given(4)) break;
      return start(&mse_backward, grid_of_elements(count), p(0), p(1), p(2), p(3), count);
    case ops::OpKind::LogSoftmaxForward:
      if (!given(2)) break;
      return start(&log_softmax_forward, grid_of_rows(m, n), p(0), p(1), m, n);
    case ops::OpKind::LogSoftmaxBackward:
      if (!given(3)) break;
      return start(&log_softmax_backward, grid_of_rows(m, n), p(0), p(1), p(2), m, n);
    case ops::OpKind::NllLossForward:
      if (!given(3)) break;
      return start(&nll_loss_forward, Grid{1, m <= 256 ? 256u : kMaxThreads, 1}, p(0), p(1), p(2), m, n);
    case ops::OpKind::NllLossBackward:
      if (!given(3)) break;
      return start(&nll_loss_backward, grid_of_elements(count), p(0), p(1), p(2), m, n);
    case ops::OpKind::Fill:
      if (!given(1)) break;
      return start(&fill, grid_of_elements(count), p(0), op.scalar, count);
    case ops::OpKind::AddInPlace:
      if (!given(2)) break;
      return start(&add_in_place, grid_of_elements(count), p(0), p(1), count);
    case ops::OpKind::SgdStep: {
      SgdPairs pairs{};
      if (!pairs_of(args, pairs)) break;
      return start(&sgd_step, grid_of_elements(pairs.end[kSgdPairs - 1]), pairs, op.scalar);
    }
    case ops::OpKind::SumReduce:
      if (!given(2)) break;
      return start(&sum_reduce, grid_of_mean(count, mean_slot), p(0), p(1), count, mean_slot);
    case ops::OpKind::Scale:
      if (!given(2)) break;
      return start(&scale, grid_of_elements(count), p(0), p(1), op.scalar, count);
    case ops::OpKind::CompareGreater:
      if (!given(2)) break;
      return start(&compare_greater, grid_of_elements(count), p(0), p(1), op.scalar, count);
    case ops::OpKind::Stack:
      if (!given(2)) break;
      return start(&stack, grid_of_elements(count), p(0), p(1), count);
    case ops::OpKind::Column:
      if (!given(2)) break;
      return start(&column, grid_of_elements(m), p(0), p(1), m, k);
    case ops::OpKind::Increment:
      if (!given(1)) break;
      // increment<<<1, N>>>, up to the maximum number of threads per block
      return start(&increment,
                   count <= kMaxThreads ? Grid{1, static_cast<unsigned>(count), 1} : grid_of_elements(count), p(0),
                   op.scalar, count);
    case ops::OpKind::Spin:
      break;
  }
  return kInvalidValue;
}

}  // namespace lanescope::cuda_backend
