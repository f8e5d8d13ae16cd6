// Elementwise kernels. All of them stride over their elements, so any grid works for any count. Indices are 64-bit.
#pragma once

namespace lanescope::cuda_backend {

using Index = unsigned long long;

inline constexpr unsigned kSgdPairs = 4;

/// The arguments of one sgd_step, passed by value.
struct SgdPairs {
  float* parameters[kSgdPairs];
  const float* gradients[kSgdPairs];
  Index end[kSgdPairs];  ///< one past the pair's last element, counted over all pairs; for missing pairs: the total
};

__device__ __forceinline__ Index first_element() { return Index{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ __forceinline__ Index element_stride() { return Index{gridDim.x} * blockDim.x; }

/// The class number of a target, or `classes` if it is invalid.
__device__ __forceinline__ Index class_of(float target, Index classes) {
  if (!(target >= 0 && target < static_cast<float>(classes))) return classes;
  const Index number = static_cast<Index>(target);
  return static_cast<float>(number) == target && number < classes ? number : classes;
}

/// Calls set(i) for this thread's elements. Uses 32-bit indices if they suffice: `set` may divide, and a 64-bit
/// division costs more than the memory access.
template <class Set>
__device__ __forceinline__ void for_each_element(Index count, Set set) {
  if (count <= 0x7fff'ffffu) {  // the last step past the end does not overflow either
    const unsigned end = static_cast<unsigned>(count), stride = static_cast<unsigned>(element_stride());
    for (unsigned i = static_cast<unsigned>(first_element()); i < end; i += stride) set(i);
  } else {
    for (Index i = first_element(); i < count; i += element_stride()) set(i);
  }
}

extern "C" __global__ void relu_forward(const float* x, float* out, Index count) {
  for_each_element(count, [=](auto i) {
    const float value = x[i];
    out[i] = value < 0 ? 0.0f : value;  // keeps NaN
  });
}

extern "C" __global__ void relu_backward(const float* dout, const float* x, float* dx, Index count) {
  for_each_element(count, [=](auto i) { dx[i] = x[i] > 0 ? dout[i] : 0.0f; });
}

extern "C" __global__ void mse_forward(const float* a, const float* b, float* out, Index count) {
  for_each_element(count, [=](auto i) {
    const float difference = a[i] - b[i];
    out[i] = difference * difference;
  });
}

extern "C" __global__ void mse_backward(const float* dloss, const float* a, const float* b, float* da, Index count) {
  const float factor = 2 * dloss[0] / static_cast<float>(count);
  for_each_element(count, [=](auto i) { da[i] = factor * (a[i] - b[i]); });
}

extern "C" __global__ void nll_loss_backward(const float* dloss, const float* target, float* dx, Index m, Index n) {
  const float each = -dloss[0] / static_cast<float>(m);
  for_each_element(m * n, [=](auto i) {
    const auto row = i / static_cast<decltype(i)>(n);
    const auto column = i - row * static_cast<decltype(i)>(n);
    dx[i] = class_of(target[row], n) == column ? each : 0.0f;
  });
}

extern "C" __global__ void fill(float* out, float value, Index count) {
  for_each_element(count, [=](auto i) { out[i] = value; });
}

extern "C" __global__ void add_in_place(float* a, const float* b, Index count) {
  for_each_element(count, [=](auto i) { a[i] += b[i]; });
}

extern "C" __global__ void scale(const float* x, float* out, float factor, Index count) {  // x may be out
  for_each_element(count, [=](auto i) { out[i] = x[i] * factor; });
}

extern "C" __global__ void compare_greater(const float* x, float* out, float limit, Index count) {
  for_each_element(count, [=](auto i) { out[i] = x[i] > limit ? 1.0f : 0.0f; });
}

extern "C" __global__ void stack(const float* x, float* out, Index count) {
  for_each_element(count, [=](auto i) { out[i] = x[i]; });
}

/// out[i] = x[i, 0]
extern "C" __global__ void column(const float* x, float* out, Index rows, Index columns) {
  for_each_element(rows, [=](auto i) { out[i] = x[i * columns]; });
}

extern "C" __global__ void increment(float* a, float by, Index count) {
  for_each_element(count, [=](auto i) { a[i] += by; });
}

/// out[i, j] = bias[j]: a matrix product is then added to it.
extern "C" __global__ void bias_broadcast(const float* bias, float* out, Index m, Index n) {
  for_each_element(m * n, [=](auto i) { out[i] = bias[i % static_cast<decltype(i)>(n)]; });
}

extern "C" __global__ void sgd_step(SgdPairs pairs, float rate) {
  for (Index i = first_element(); i < pairs.end[kSgdPairs - 1]; i += element_stride()) {
    Index begin = 0;
#pragma unroll
    for (unsigned pair = 0; pair < kSgdPairs; ++pair) {
      if (i >= begin && i < pairs.end[pair])
        pairs.parameters[pair][i - begin] -= rate * pairs.gradients[pair][i - begin];
      begin = pairs.end[pair];
    }
  }
}

}  // namespace lanescope::cuda_backend
