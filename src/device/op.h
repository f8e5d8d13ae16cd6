// The catalogue of tensor operations: the cost of each, and a host reference implementation.
//
// Every op is one GPU kernel, split as in eager PyTorch: nn.Linear forward is one addmm, MSELoss is an elementwise
// kernel and a mean, its backward pass a fill and an elementwise kernel, and so on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanescope::ops {

enum class OpKind : std::uint8_t {
  LinearForward,       ///< out[m,n] = x[m,k] w[n,k]^T + bias[n]           args: x, w, bias, out
  LinearWeightGrad,    ///< dw[n,k] = dout[m,n]^T x[m,k]                    args: dout, x, dw
  LinearInputGrad,     ///< dx[m,k] = dout[m,n] w[n,k]                      args: dout, w, dx
  LinearBiasGrad,      ///< db[n] = sum over rows of dout[m,n]              args: dout, db
  ReluForward,         ///< out[i] = max(x[i], 0), m*n elements             args: x, out
  ReluBackward,        ///< dx[i] = x[i] > 0 ? dout[i] : 0                  args: dout, x, dx
  MseForward,          ///< out[i] = (a[i] - b[i])^2, m*n elements          args: a, b, out
  MeanReduce,          ///< out[k-1] = mean of m*n elements                 args: x, out
  MseBackward,         ///< da[i] = 2 (a[i] - b[i]) dloss[0] / (m*n)        args: dloss, a, b, da
  LogSoftmaxForward,   ///< out[m,n], along n                               args: x, out
  LogSoftmaxBackward,  ///< dx = dout - exp(out) * sum(dout)                args: dout, out, dx
  NllLossForward,      ///< loss[0] = -mean over rows of x[i, target[i]]    args: x, target, loss
  NllLossBackward,     ///< dx[i,j] = j == target[i] ? -dloss[0]/m : 0      args: dloss, target, dx
  Fill,                ///< out[i] = scalar, m*n elements                   args: out
  AddInPlace,          ///< a[i] += b[i], m*n elements                      args: a, b
  SgdStep,             ///< p -= scalar * g for up to 4 pairs               args: p0, g0, p1, g1, ...; element counts
                       ///  come from the spans; m = total elements, n = 1
  SumReduce,           ///< out[0] = sum of m*n elements                    args: x, out
  Scale,               ///< out[i] = x[i] * scalar, m*n elements            args: x, out (may be the same)
  CompareGreater,      ///< out[i] = x[i] > scalar ? 1 : 0, m*n elements    args: x, out
  Stack,               ///< out[i] = x[i], m*n elements: torch.stack()      args: x, out
  Column,              ///< out[i] = x[i,0] of x[m,k]: a column made contiguous    args: x, out
  Increment,           ///< a[i] += scalar, m*n elements; up to 1024 by one block   args: a
  Spin,                ///< keeps one block busy for `scalar` microseconds and computes nothing   args: none
};

/// Shape: m rows (batch), n columns (outputs), k inner (inputs). Elements are float32; targets are float32 class
/// numbers.
struct Op {
  OpKind kind = OpKind::Fill;
  std::int32_t m = 1;
  std::int32_t n = 1;
  std::int32_t k = 1;
  float scalar = 0;

  bool operator==(const Op&) const = default;
};

inline constexpr std::size_t kMaxArgs = 8;

/// The kernel's name on the timeline: "linear_forward", "mse_backward".
std::string_view kernel_name(OpKind kind);

/// For the roofline model: floating-point operations (a multiply-add counts as two), and bytes, each read or written
/// once.
double flops(const Op& op);
double bytes_moved(const Op& op);

/// True for matrix products, whose rate depends on the number of tiles of the result.
bool is_gemm(OpKind kind);

/// Throws base::Error unless the shape is valid and fits arguments with these element counts.
void check_arguments(const Op& op, std::span<const std::size_t> elements);

/// Computes the op on the host. The arguments are as listed at OpKind. Throws base::Error if their sizes do not fit the
/// shape.
void run_reference(const Op& op, std::span<const std::span<float>> args);

}  // namespace lanescope::ops
