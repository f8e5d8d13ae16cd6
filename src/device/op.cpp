#include "device/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"

namespace lanescope::ops {
namespace {

// The number of elements of an argument, in terms of the op's shape.
enum class Extent : std::uint8_t { One, K, M, N, MN, MK, NK };

struct ArgSpec {
  std::string_view name;
  Extent extent = Extent::One;
};

struct OpSpec {
  OpKind kind;
  std::string_view kernel;
  std::size_t arg_count;
  std::array<ArgSpec, 4> args;  // the SGD step checks its pairs itself
};

constexpr ArgSpec kNoArg{};
constexpr std::array<OpSpec, 23> kSpecs{{
    {OpKind::LinearForward,
     "linear_forward",
     4,
     {{{"x", Extent::MK}, {"w", Extent::NK}, {"bias", Extent::N}, {"out", Extent::MN}}}},
    {OpKind::LinearWeightGrad,
     "linear_weight_grad",
     3,
     {{{"dout", Extent::MN}, {"x", Extent::MK}, {"dw", Extent::NK}, kNoArg}}},
    {OpKind::LinearInputGrad,
     "linear_input_grad",
     3,
     {{{"dout", Extent::MN}, {"w", Extent::NK}, {"dx", Extent::MK}, kNoArg}}},
    {OpKind::LinearBiasGrad, "linear_bias_grad", 2, {{{"dout", Extent::MN}, {"db", Extent::N}, kNoArg, kNoArg}}},
    {OpKind::ReluForward, "relu_forward", 2, {{{"x", Extent::MN}, {"out", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::ReluBackward, "relu_backward", 3, {{{"dout", Extent::MN}, {"x", Extent::MN}, {"dx", Extent::MN}, kNoArg}}},
    {OpKind::MseForward, "mse_forward", 3, {{{"a", Extent::MN}, {"b", Extent::MN}, {"out", Extent::MN}, kNoArg}}},
    {OpKind::MeanReduce, "mean_reduce", 2, {{{"x", Extent::MN}, {"out", Extent::K}, kNoArg, kNoArg}}},
    {OpKind::MseBackward,
     "mse_backward",
     4,
     {{{"dloss", Extent::One}, {"a", Extent::MN}, {"b", Extent::MN}, {"da", Extent::MN}}}},
    {OpKind::LogSoftmaxForward, "log_softmax_forward", 2, {{{"x", Extent::MN}, {"out", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::LogSoftmaxBackward,
     "log_softmax_backward",
     3,
     {{{"dout", Extent::MN}, {"out", Extent::MN}, {"dx", Extent::MN}, kNoArg}}},
    {OpKind::NllLossForward,
     "nll_loss_forward",
     3,
     {{{"x", Extent::MN}, {"target", Extent::M}, {"loss", Extent::One}, kNoArg}}},
    {OpKind::NllLossBackward,
     "nll_loss_backward",
     3,
     {{{"dloss", Extent::One}, {"target", Extent::M}, {"dx", Extent::MN}, kNoArg}}},
    {OpKind::Fill, "fill", 1, {{{"out", Extent::MN}, kNoArg, kNoArg, kNoArg}}},
    {OpKind::AddInPlace, "add_in_place", 2, {{{"a", Extent::MN}, {"b", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::SgdStep, "sgd_step", 0, {}},
    {OpKind::SumReduce, "sum_reduce", 2, {{{"x", Extent::MN}, {"out", Extent::One}, kNoArg, kNoArg}}},
    {OpKind::Scale, "scale", 2, {{{"x", Extent::MN}, {"out", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::CompareGreater, "compare_greater", 2, {{{"x", Extent::MN}, {"out", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::Stack, "stack", 2, {{{"x", Extent::MN}, {"out", Extent::MN}, kNoArg, kNoArg}}},
    {OpKind::Column, "column", 2, {{{"x", Extent::MK}, {"out", Extent::M}, kNoArg, kNoArg}}},
    {OpKind::Increment, "increment", 1, {{{"a", Extent::MN}, kNoArg, kNoArg, kNoArg}}},
    {OpKind::Spin, "spin", 0, {}},
}};

constexpr bool specs_are_in_order() {
  for (std::size_t i = 0; i < kSpecs.size(); ++i) {
    if (static_cast<std::size_t>(kSpecs[i].kind) != i) return false;
  }
  return true;
}
static_assert(specs_are_in_order());

const OpSpec& spec_of(OpKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= kSpecs.size()) throw base::Error(fmt::format("op number {} is unknown; there are {}", i, kSpecs.size()));
  return kSpecs[i];
}

std::size_t elements(Extent extent, const Op& op) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n), k = static_cast<std::size_t>(op.k);
  switch (extent) {
    case Extent::One:
      return 1;
    case Extent::K:
      return k;
    case Extent::M:
      return m;
    case Extent::N:
      return n;
    case Extent::MN:
      return m * n;
    case Extent::MK:
      return m * k;
    case Extent::NK:
      return n * k;
  }
  return 0;
}

using Args = std::span<const std::span<float>>;

// Twice as many values at once, without fused operations: the same bits. Not under a sanitizer, which is not ready yet
// when the variant is chosen.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(LANESCOPE_SANITIZED)
#define LANESCOPE_WIDE [[gnu::target_clones("default", "avx2")]]
#else
#define LANESCOPE_WIDE
#endif

using Sizes = std::span<const std::size_t>;

void check_sgd_sizes(const Op& op, Sizes sizes) {
  if (sizes.empty() || sizes.size() % 2 != 0 || sizes.size() > kMaxArgs) {
    throw base::Error(fmt::format("sgd_step: {} arguments given; allowed: 1 to {} pairs", sizes.size(), kMaxArgs / 2));
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < sizes.size(); i += 2) {
    if (sizes[i] != sizes[i + 1]) {
      throw base::Error(fmt::format("sgd_step: pair {} has {} parameters and {} gradients; they must be equally many",
                                    i / 2, sizes[i], sizes[i + 1]));
    }
    total += sizes[i];
  }
  if (total != static_cast<std::size_t>(op.m)) {
    throw base::Error(fmt::format("sgd_step: the pairs have {} elements; m says {}", total, op.m));
  }
}

std::size_t class_of(float target, std::int32_t classes, std::string_view kernel) {
  if (!(target >= 0 && target < static_cast<float>(classes)) || target != std::floor(target)) {
    throw base::Error(fmt::format("{}: target {} is not a class; allowed: 0 to {}", kernel, target, classes - 1));
  }
  return static_cast<std::size_t>(target);
}

struct Matrix {
  const float* values;
  std::size_t row, column;  // the distance to the next one
};

// out = first + left x right, with `first` as each row's start, or null for zeros. Each sum is added up in order of
// `depth`, but those of several rows and columns at once, with their right-hand sides side by side.
LANESCOPE_WIDE void multiply(std::size_t rows, std::size_t columns, std::size_t depth, const Matrix& left,
                             const Matrix& right, const float* first, float* out) {
  using Eight [[gnu::vector_size(8 * sizeof(float))]] = float;
  struct alignas(Eight) Sixteen {
    Eight half[2];
  };
  constexpr std::size_t kRows = 4, kColumns = 16;
  std::vector<Sixteen> beside(depth);
  for (std::size_t j = 0; j < columns; j += kColumns) {
    const std::size_t width = std::min(kColumns, columns - j);
    for (std::size_t s = 0; s < width; ++s) {
      const float* from = right.values + (j + s) * right.column;
      for (std::size_t d = 0; d < depth; ++d) beside[d].half[s / 8][s % 8] = from[d * right.row];
    }
    Sixteen start{};
    if (first != nullptr) std::memcpy(&start, first + j, width * sizeof(float));
    for (std::size_t i = 0; i < rows; i += kRows) {
      std::array<const float*, kRows> from;
      for (std::size_t r = 0; r < kRows; ++r) from[r] = left.values + std::min(i + r, rows - 1) * left.row;
      std::array<Sixteen, kRows> sums;
      sums.fill(start);
      for (std::size_t d = 0; d < depth; ++d) {
        const Sixteen& factor = beside[d];
        for (std::size_t r = 0; r < kRows; ++r) {
          const float value = from[r][d * left.column];
          sums[r].half[0] += value * factor.half[0];
          sums[r].half[1] += value * factor.half[1];
        }
      }
      for (std::size_t r = 0; r < std::min(kRows, rows - i); ++r) {
        std::memcpy(out + (i + r) * columns + j, &sums[r], width * sizeof(float));
      }
    }
  }
}

// With x of m x k, w of n x k, and out and dout of m x n.
void linear_forward(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n), k = static_cast<std::size_t>(op.k);
  multiply(m, n, k, {a[0].data(), k, 1}, {a[1].data(), 1, k}, a[2].data(), a[3].data());
}

void linear_weight_grad(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n), k = static_cast<std::size_t>(op.k);
  multiply(n, k, m, {a[0].data(), 1, n}, {a[1].data(), k, 1}, nullptr, a[2].data());
}

void linear_input_grad(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n), k = static_cast<std::size_t>(op.k);
  multiply(m, k, n, {a[0].data(), n, 1}, {a[1].data(), k, 1}, nullptr, a[2].data());
}

void linear_bias_grad(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n);
  const float* dout = a[0].data();
  float* db = a[1].data();
  std::fill_n(db, n, 0.0f);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) db[j] += dout[i * n + j];
  }
}

void log_softmax_forward(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n);
  for (std::size_t i = 0; i < m; ++i) {
    const float* x = a[0].data() + i * n;
    float* out = a[1].data() + i * n;
    const float largest = *std::max_element(x, x + n);  // keeps exp() from overflowing
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::exp(x[j] - largest);
    const float log_sum = std::log(sum);
    for (std::size_t j = 0; j < n; ++j) out[j] = x[j] - largest - log_sum;
  }
}

void log_softmax_backward(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n);
  for (std::size_t i = 0; i < m; ++i) {
    const float *dout = a[0].data() + i * n, *out = a[1].data() + i * n;
    float* dx = a[2].data() + i * n;
    float sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += dout[j];
    for (std::size_t j = 0; j < n; ++j) dx[j] = dout[j] - std::exp(out[j]) * sum;
  }
}

void nll_loss_forward(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n);
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) sum -= a[0][i * n + class_of(a[1][i], op.n, "nll_loss_forward")];
  a[2][0] = static_cast<float>(sum / static_cast<double>(m));
}

void nll_loss_backward(const Op& op, Args a) {
  const auto m = static_cast<std::size_t>(op.m), n = static_cast<std::size_t>(op.n);
  const float each = -a[0][0] / static_cast<float>(m);
  std::fill_n(a[2].data(), m * n, 0.0f);
  for (std::size_t i = 0; i < m; ++i) a[2][i * n + class_of(a[1][i], op.n, "nll_loss_backward")] = each;
}

void mse_backward(std::size_t count, Args a) {
  const float factor = 2 * a[0][0] / static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) a[3][i] = factor * (a[1][i] - a[2][i]);
}

double sum_of(std::size_t count, std::span<const float> values) {
  std::array<double, 8> sums{};  // one after the other, each addition would wait for the one before
  std::size_t i = 0;
  for (; i + sums.size() <= count; i += sums.size()) {
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += values[i + s];
  }
  for (; i < count; ++i) sums[0] += values[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void sgd_step(float rate, Args a) {
  for (std::size_t pair = 0; pair < a.size(); pair += 2) {
    for (std::size_t i = 0; i < a[pair].size(); ++i) a[pair][i] -= rate * a[pair + 1][i];
  }
}

}  // namespace

std::string_view kernel_name(OpKind kind) { return spec_of(kind).kernel; }

double flops(const Op& op) {
  const double m = op.m, n = op.n, k = op.k;
  switch (op.kind) {
    case OpKind::LinearForward:
      return 2 * m * n * k + m * n;
    case OpKind::LinearWeightGrad:
    case OpKind::LinearInputGrad:
      return 2 * m * n * k;
    case OpKind::LinearBiasGrad:
    case OpKind::ReluForward:
    case OpKind::ReluBackward:
    case OpKind::MeanReduce:
    case OpKind::SumReduce:
    case OpKind::Scale:
    case OpKind::CompareGreater:
    case OpKind::AddInPlace:
    case OpKind::Increment:
      return m * n;
    case OpKind::MseForward:
    case OpKind::MseBackward:
    case OpKind::SgdStep:
      return 2 * m * n;
    case OpKind::LogSoftmaxForward:
      return 5 * m * n;  // maximum, subtract, exp, sum, subtract
    case OpKind::LogSoftmaxBackward:
      return 4 * m * n;  // sum, exp, multiply, subtract
    case OpKind::NllLossForward:
      return m;
    case OpKind::NllLossBackward:
    case OpKind::Fill:
    case OpKind::Stack:
    case OpKind::Column:
    case OpKind::Spin:
      return 0;
  }
  return 0;
}

double bytes_moved(const Op& op) {
  const double m = op.m, n = op.n, k = op.k;
  double elements_moved = 0;
  switch (op.kind) {
    case OpKind::LinearForward:
      elements_moved = m * k + n * k + n + m * n;
      break;
    case OpKind::LinearWeightGrad:
    case OpKind::LinearInputGrad:
      elements_moved = m * n + m * k + n * k;
      break;
    case OpKind::LinearBiasGrad:
      elements_moved = m * n + n;
      break;
    case OpKind::ReluForward:
    case OpKind::LogSoftmaxForward:
    case OpKind::Scale:
    case OpKind::CompareGreater:
    case OpKind::Stack:
    case OpKind::Increment:
      elements_moved = 2 * m * n;
      break;
    case OpKind::Column:
      // Memory is read in sectors of 32 bytes: a narrow row is read completely, whichever column is needed.
      elements_moved = m * std::min(k, 8.0) + m;
      break;
    case OpKind::ReluBackward:
    case OpKind::MseForward:
    case OpKind::LogSoftmaxBackward:
    case OpKind::AddInPlace:
    case OpKind::SgdStep:
      elements_moved = 3 * m * n;
      break;
    case OpKind::MeanReduce:
    case OpKind::SumReduce:
      elements_moved = m * n + 1;
      break;
    case OpKind::MseBackward:
      elements_moved = 3 * m * n + 1;
      break;
    case OpKind::NllLossForward:
      elements_moved = 2 * m + 1;
      break;  // one value and one target per row
    case OpKind::NllLossBackward:
      elements_moved = m * n + m + 1;
      break;
    case OpKind::Fill:
      elements_moved = m * n;
      break;
    case OpKind::Spin:
      break;
  }
  return elements_moved * sizeof(float);
}

bool is_gemm(OpKind kind) {
  return kind == OpKind::LinearForward || kind == OpKind::LinearWeightGrad || kind == OpKind::LinearInputGrad;
}

void check_arguments(const Op& op, Sizes elements_of) {
  const OpSpec& spec = spec_of(op.kind);
  if (op.m < 1 || op.n < 1 || op.k < 1) {
    throw base::Error(
        fmt::format("{}: shape m={} n={} k={} is not allowed; each is at least 1", spec.kernel, op.m, op.n, op.k));
  }
  if (op.kind == OpKind::SgdStep) return check_sgd_sizes(op, elements_of);
  if (elements_of.size() != spec.arg_count) {
    throw base::Error(
        fmt::format("{}: {} arguments given; {} needed", spec.kernel, elements_of.size(), spec.arg_count));
  }
  for (std::size_t i = 0; i < elements_of.size(); ++i) {
    if (const std::size_t needed = elements(spec.args[i].extent, op); elements_of[i] < needed) {
      throw base::Error(fmt::format("{}: argument '{}' has {} elements; at least {} needed", spec.kernel,
                                    spec.args[i].name, elements_of[i], needed));
    }
  }
}

void run_reference(const Op& op, Args args) {
  std::array<std::size_t, kMaxArgs + 1> sizes{};  // one extra element, so that the check can detect too many arguments
  const std::size_t count_of_args = std::min(args.size(), sizes.size());
  for (std::size_t i = 0; i < count_of_args; ++i) sizes[i] = args[i].size();
  check_arguments(op, std::span(sizes).first(count_of_args));
  const std::size_t count = static_cast<std::size_t>(op.m) * static_cast<std::size_t>(op.n);
  switch (op.kind) {
    case OpKind::LinearForward:
      return linear_forward(op, args);
    case OpKind::LinearWeightGrad:
      return linear_weight_grad(op, args);
    case OpKind::LinearInputGrad:
      return linear_input_grad(op, args);
    case OpKind::LinearBiasGrad:
      return linear_bias_grad(op, args);
    case OpKind::ReluForward:
      for (std::size_t i = 0; i < count; ++i) args[1][i] = std::max(args[0][i], 0.0f);
      return;
    case OpKind::ReluBackward:
      for (std::size_t i = 0; i < count; ++i) args[2][i] = args[1][i] > 0 ? args[0][i] : 0.0f;
      return;
    case OpKind::MseForward:
      for (std::size_t i = 0; i < count; ++i) {
        const float difference = args[0][i] - args[1][i];
        args[2][i] = difference * difference;
      }
      return;
    case OpKind::MeanReduce:
      args[1][static_cast<std::size_t>(op.k - 1)] =
          static_cast<float>(sum_of(count, args[0]) / static_cast<double>(count));
      return;
    case OpKind::MseBackward:
      return mse_backward(count, args);
    case OpKind::LogSoftmaxForward:
      return log_softmax_forward(op, args);
    case OpKind::LogSoftmaxBackward:
      return log_softmax_backward(op, args);
    case OpKind::NllLossForward:
      return nll_loss_forward(op, args);
    case OpKind::NllLossBackward:
      return nll_loss_backward(op, args);
    case OpKind::Fill:
      std::fill_n(args[0].data(), count, op.scalar);
      return;
    case OpKind::AddInPlace:
      for (std::size_t i = 0; i < count; ++i) args[0][i] += args[1][i];
      return;
    case OpKind::SgdStep:
      return sgd_step(op.scalar, args);
    case OpKind::SumReduce:
      args[1][0] = static_cast<float>(sum_of(count, args[0]));
      return;
    case OpKind::Scale:
      for (std::size_t i = 0; i < count; ++i) args[1][i] = args[0][i] * op.scalar;
      return;
    case OpKind::CompareGreater:
      for (std::size_t i = 0; i < count; ++i) args[1][i] = args[0][i] > op.scalar ? 1.0f : 0.0f;
      return;
    case OpKind::Stack:
      std::copy_n(args[0].data(), count, args[1].data());
      return;
    case OpKind::Column:
      for (std::size_t i = 0; i < static_cast<std::size_t>(op.m); ++i) {
        args[1][i] = args[0][i * static_cast<std::size_t>(op.k)];
      }
      return;
    case OpKind::Increment:
      for (std::size_t i = 0; i < count; ++i) args[0][i] += op.scalar;
      return;
    case OpKind::Spin:
      return;
  }
}

}  // namespace lanescope::ops
