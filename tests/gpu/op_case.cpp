#include "gpu/op_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

namespace lanescope::gpu_test {
namespace {

using ops::Op;
using ops::OpKind;

constexpr double kEps = std::numeric_limits<float>::epsilon();

struct Shape {
  std::size_t m, n, k, mn;
  explicit Shape(const Op& op)
      : m(static_cast<std::size_t>(op.m)),
        n(static_cast<std::size_t>(op.n)),
        k(static_cast<std::size_t>(op.k)),
        mn(m * n) {}
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  Values between(std::size_t count, float low, float high) {
    std::uniform_real_distribution<float> any(low, high);
    Values values(count);
    std::generate(values.begin(), values.end(), [&] { return any(engine_); });
    return values;
  }
  Values classes(std::size_t count, std::int32_t how_many) {
    std::uniform_int_distribution<std::int32_t> any(0, how_many - 1);
    Values values(count);
    std::generate(values.begin(), values.end(), [&] { return static_cast<float>(any(engine_)); });
    return values;
  }

 private:
  std::mt19937 engine_;
};

std::vector<Values> arguments_for(const Op& op, Random& random, const std::vector<std::size_t>& pairs) {
  const Shape s(op);
  const auto any = [&](std::size_t count) { return random.between(count, -1, 1); };
  const auto result = [](std::size_t count) { return Values(count, 1234.5f); };  // every element must be overwritten
  switch (op.kind) {
    case OpKind::LinearForward:
      return {any(s.m * s.k), any(s.n * s.k), any(s.n), result(s.mn)};
    case OpKind::LinearWeightGrad:
      return {any(s.mn), any(s.m * s.k), result(s.n * s.k)};
    case OpKind::LinearInputGrad:
      return {any(s.mn), any(s.n * s.k), result(s.m * s.k)};
    case OpKind::LinearBiasGrad:
      return {any(s.mn), result(s.n)};
    case OpKind::ReluForward:
      return {any(s.mn), result(s.mn)};
    case OpKind::ReluBackward:
    case OpKind::MseForward:
      return {any(s.mn), any(s.mn), result(s.mn)};
    case OpKind::MeanReduce:
      return {any(s.mn), result(s.k)};
    case OpKind::MseBackward:
      return {any(1), any(s.mn), any(s.mn), result(s.mn)};
    case OpKind::LogSoftmaxForward:
      return {random.between(s.mn, -20, 20), result(s.mn)};
    case OpKind::LogSoftmaxBackward:
      return {any(s.mn), random.between(s.mn, -8, 0), result(s.mn)};
    case OpKind::NllLossForward:
      return {random.between(s.mn, -8, 0), random.classes(s.m, op.n), result(1)};
    case OpKind::NllLossBackward:
      return {any(1), random.classes(s.m, op.n), result(s.mn)};
    case OpKind::Fill:
      return {result(s.mn)};
    case OpKind::AddInPlace:
      return {any(s.mn), any(s.mn)};
    case OpKind::SgdStep: {
      std::vector<Values> arguments;
      for (const std::size_t count : pairs) arguments.insert(arguments.end(), {any(count), any(count)});
      return arguments;
    }
    case OpKind::SumReduce:
      return {any(s.mn), result(1)};
    case OpKind::Scale:
    case OpKind::CompareGreater:
    case OpKind::Stack:
      return {any(s.mn), result(s.mn)};
    case OpKind::Column:
      return {any(s.m * s.k), result(s.m)};
    case OpKind::Increment:
      return {any(s.mn)};
    case OpKind::Spin:
      return {};
  }
  return {};
}

std::vector<double> by_element(std::size_t count, const std::function<double(std::size_t)>& bound) {
  std::vector<double> bounds(count);
  for (std::size_t i = 0; i < count; ++i) bounds[i] = bound(i);
  return bounds;
}

/// A sum of `length` products in any order is off by at most about length/2 eps of the sum of their absolute values,
/// and so is the reference: eps * (length + 8) * sum|terms| for both. Row i of `a` against row j of `b`, by strides.
struct Strided {
  const Values& values;
  std::size_t line, depth;
  double size(std::size_t i, std::size_t d) const { return std::fabs(double{values[i * line + d * depth]}); }
};
std::vector<double> of_products(const Strided& a, std::size_t rows, const Strided& b, std::size_t columns,
                                std::size_t length, const Values* bias) {
  std::vector<double> bounds(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      double terms = bias ? std::fabs(double{(*bias)[j]}) : 0.0;
      for (std::size_t d = 0; d < length; ++d) terms += a.size(i, d) * b.size(j, d);
      bounds[i * columns + j] = kEps * (static_cast<double>(length) + 8) * terms;
    }
  }
  return bounds;
}

double sum_of_sizes(const Values& values, std::size_t from, std::size_t count, std::size_t step = 1) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::fabs(double{values[from + i * step]});
  return sum;
}

/// x - max - log(sum exp(x - max)): the logarithm of a sum of n positive terms is off by (n + 8) eps, and each of the
/// two subtractions rounds.
std::vector<double> of_log_softmax(const Shape& s, const Values& x, const Values& out) {
  const auto largest = by_element(s.m, [&](std::size_t row) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * s.n);
    return double{*std::max_element(first, first + static_cast<std::ptrdiff_t>(s.n))};
  });
  return by_element(s.mn, [&](std::size_t i) {
    return kEps *
           (static_cast<double>(s.n) + 8 + 4 * std::fabs(x[i] - largest[i / s.n]) + 2 * std::fabs(double{out[i]}));
  });
}

std::vector<double> bounds_of_result(const OpCase& c) {
  const Shape s(c.op);
  const auto& a = c.before;
  const Values& result = c.expected.empty() ? Values() : c.expected.back();
  const auto length = [](std::size_t n) { return static_cast<double>(n) + 8; };
  switch (c.op.kind) {
    case OpKind::LinearForward:
      return of_products({a[0], s.k, 1}, s.m, {a[1], s.k, 1}, s.n, s.k, &a[2]);
    case OpKind::LinearWeightGrad:
      return of_products({a[0], 1, s.n}, s.n, {a[1], 1, s.k}, s.k, s.m, nullptr);
    case OpKind::LinearInputGrad:
      return of_products({a[0], s.n, 1}, s.m, {a[1], 1, s.k}, s.k, s.n, nullptr);
    case OpKind::LinearBiasGrad:
      return by_element(s.n, [&](std::size_t j) { return kEps * length(s.m) * sum_of_sizes(a[0], j, s.m, s.n); });
    case OpKind::MseForward:
    case OpKind::MseBackward:  // one rounding each, or two where a product and a sum are fused
      return by_element(s.mn, [&](std::size_t i) { return 2 * kEps * std::fabs(double{result[i]}); });
    case OpKind::MeanReduce:  // however many there are, no more than 32 terms are summed in float
      return by_element(s.k, [&](std::size_t slot) {  // the slots before it are left alone
        const bool written = slot + 1 == s.k;
        return written ? kEps * length(32) * sum_of_sizes(a[0], 0, s.mn) / static_cast<double>(s.mn) : 0.0;
      });
    case OpKind::SumReduce:
      return {kEps * length(32) * sum_of_sizes(a[0], 0, s.mn)};
    case OpKind::LogSoftmaxForward:
      return of_log_softmax(s, a[0], result);
    case OpKind::LogSoftmaxBackward: {
      const auto sums = by_element(s.m, [&](std::size_t row) { return sum_of_sizes(a[0], row * s.n, s.n); });
      return by_element(s.mn, [&](std::size_t i) {
        return kEps * (2 * std::fabs(double{a[0][i]}) + std::exp(double{a[1][i]}) * length(s.n) * sums[i / s.n]);
      });
    }
    case OpKind::NllLossForward:  // summed in double
      return {2 * kEps * std::fabs(double{result[0]})};
    default:
      return {};
  }
}

}  // namespace

OpCase make_case(const Op& op, std::uint32_t seed, std::vector<std::size_t> pairs) {
  if (pairs.empty()) pairs = {static_cast<std::size_t>(op.m)};
  Random random(seed);
  OpCase c{op, arguments_for(op, random, pairs), {}, {}};
  c.expected = c.before;
  std::vector<std::span<float>> spans(c.expected.begin(), c.expected.end());
  ops::run_reference(op, spans);
  c.bounds.resize(c.before.size());
  if (op.kind == OpKind::SgdStep) {
    for (std::size_t i = 0; i < c.before.size(); i += 2) {  // p - rate * g, fused or not
      c.bounds[i] = by_element(c.before[i].size(), [&](std::size_t e) {
        return kEps * (std::fabs(double{c.before[i][e]}) + 2 * std::fabs(double{op.scalar} * c.before[i + 1][e]));
      });
    }
  } else if (!c.bounds.empty()) {
    c.bounds.back() = bounds_of_result(c);
  }
  return c;
}

std::string disagreement(const OpCase& c, const std::vector<Values>& after) {
  std::string text;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < c.expected.size(); ++i) {
    for (std::size_t e = 0; e < c.expected[i].size(); ++e) {
      const float expected = c.expected[i][e], got = after.at(i).at(e);
      const double bound = c.bounds[i].empty() ? 0 : c.bounds[i][e];
      const bool agrees = c.bounds[i].empty()
                              ? std::bit_cast<std::uint32_t>(expected) == std::bit_cast<std::uint32_t>(got)
                              : std::fabs(double{got} - double{expected}) <= bound;  // false for NaN
      if (agrees) continue;
      if (++wrong <= 3) {
        text += fmt::format("argument {} element {}: {} instead of {} (may be off by {:.3g})\n", i, e, got, expected,
                            bound);
      }
    }
  }
  return wrong ? fmt::format("{}: {} wrong\n{}", describe(c.op), wrong, text) : std::string();
}

std::string describe(const Op& op) {
  return fmt::format("{} m={} n={} k={}", ops::kernel_name(op.kind), op.m, op.n, op.k);
}

std::vector<Op> shapes_to_test(double max_work) {
  struct Size {
    std::int32_t m, n, k;
  };
  // The iris network's and the linear layer's, and odd ones.
  const Size products[] = {{1, 1, 1},     {1, 64, 16},   {2, 3, 5},      {16, 10, 4},   {120, 3, 8},      {64, 64, 64},
                           {65, 63, 17},  {33, 129, 31}, {1, 1000, 100}, {1000, 1, 33}, {3, 5, 2000},     {200, 70, 1},
                           {130, 70, 40}, {257, 31, 7},  {7, 511, 130},  {700, 9, 300}, {128, 1000, 1000}};
  const Size fields[] = {{1, 1, 1},    {1, 7, 1},    {3, 5, 1},      {16, 3, 1},     {33, 65, 1},    {9, 31, 1},
                         {8, 32, 1},   {5, 1023, 1}, {2, 1024, 1},   {2, 1025, 1},   {3, 8193, 1},   {4097, 1, 1},
                         {300, 17, 1}, {1100, 3, 1}, {128, 1000, 1}, {100003, 3, 1}, {2, 300007, 1}, {5000, 513, 1}};
  std::vector<Op> ops;
  for (int kind = 0; kind < static_cast<int>(OpKind::Spin); ++kind) {
    const OpKind op_kind = static_cast<OpKind>(kind);
    for (const Size& size : ops::is_gemm(op_kind) ? std::span<const Size>(products) : std::span<const Size>(fields)) {
      Op op{op_kind, size.m, size.n, size.k, 0.37f};
      if (op_kind == OpKind::SgdStep) op = {op_kind, size.m * size.n, 1, 1, 0.37f};
      if (op_kind == OpKind::MeanReduce) op.k = 1 + static_cast<int>(ops.size() % 3);  // another slot than the first
      if (op_kind == OpKind::Column) op = {op_kind, size.m, 1, size.n};
      if (1.0 * op.m * op.n * op.k <= max_work) ops.push_back(op);
    }
  }
  return ops;
}

}  // namespace lanescope::gpu_test
