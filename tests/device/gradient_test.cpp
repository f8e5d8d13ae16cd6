// Backward ops against central differences of the forward ops: for a scalar objective L = sum(weight_i * out_i), the
// backward op fed with dout = weight must give dL/dx.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "device/op.h"

namespace lanescope::ops {
namespace {

using Values = std::vector<float>;

template <typename... V>
void run(const Op& op, V&... values) {
  const std::array<std::span<float>, sizeof...(V)> args{std::span<float>(values)...};
  run_reference(op, args);
}

// Values in [-1, 1) that are not close to 0, so that a step does not cross ReLU's corner.
Values values(std::size_t count, std::uint32_t seed) {
  Values result(count);
  for (float& v : result) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    if (v > -0.05f && v < 0.05f) v += 0.2f;
  }
  return result;
}

constexpr float kStep = 1e-2f;
constexpr double kTolerance = 2e-3;

// Compares `gradient` with the central differences of `objective` around `x`.
void expect_gradient(Values x, const Values& gradient, const std::function<double(Values&)>& objective) {
  ASSERT_EQ(x.size(), gradient.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float middle = x[i];
    x[i] = middle + kStep;
    const double up = objective(x);
    x[i] = middle - kStep;
    const double down = objective(x);
    x[i] = middle;
    EXPECT_NEAR(gradient[i], (up - down) / (2.0 * kStep), kTolerance) << "element " << i;
  }
}

double weighted_sum(const Values& out, const Values& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) sum += double{out[i]} * double{weights[i]};
  return sum;
}

class LinearGradient : public testing::Test {
 protected:
  static constexpr int kM = 3, kN = 4, kK = 5;
  double forward(Values& x, Values& w, Values& bias) {
    Values out(kM * kN);
    run({OpKind::LinearForward, kM, kN, kK}, x, w, bias, out);
    return weighted_sum(out, dout_);
  }
  Values x_ = values(kM * kK, 1), w_ = values(kN * kK, 2), bias_ = values(kN, 3), dout_ = values(kM * kN, 4);
};

TEST_F(LinearGradient, OfTheInput) {
  Values dx(kM * kK);
  run({OpKind::LinearInputGrad, kM, kN, kK}, dout_, w_, dx);
  expect_gradient(x_, dx, [&](Values& x) { return forward(x, w_, bias_); });
}

TEST_F(LinearGradient, OfTheWeight) {
  Values dw(kN * kK);
  run({OpKind::LinearWeightGrad, kM, kN, kK}, dout_, x_, dw);
  expect_gradient(w_, dw, [&](Values& w) { return forward(x_, w, bias_); });
}

TEST_F(LinearGradient, OfTheBias) {
  Values db(kN);
  run({OpKind::LinearBiasGrad, kM, kN, 1}, dout_, db);
  expect_gradient(bias_, db, [&](Values& bias) { return forward(x_, w_, bias); });
}

TEST(Gradient, OfRelu) {
  Values x = values(12, 5), dout = values(12, 6), dx(12);
  run({OpKind::ReluBackward, 3, 4, 1}, dout, x, dx);
  expect_gradient(x, dx, [&](Values& at) {
    Values out(12);
    run({OpKind::ReluForward, 3, 4, 1}, at, out);
    return weighted_sum(out, dout);
  });
}

TEST(Gradient, OfMeanSquaredError) {
  Values a = values(12, 7), b = values(12, 8), dloss{1.5f}, da(12);
  run({OpKind::MseBackward, 3, 4, 1}, dloss, a, b, da);
  expect_gradient(a, da, [&](Values& at) {
    Values squares(12), loss(1);
    run({OpKind::MseForward, 3, 4, 1}, at, b, squares);
    run({OpKind::MeanReduce, 3, 4, 1}, squares, loss);
    return 1.5 * double{loss[0]};
  });
}

TEST(Gradient, OfLogSoftmax) {
  Values x = values(12, 9), dout = values(12, 10), out(12), dx(12);
  run({OpKind::LogSoftmaxForward, 3, 4, 1}, x, out);
  run({OpKind::LogSoftmaxBackward, 3, 4, 1}, dout, out, dx);
  expect_gradient(x, dx, [&](Values& at) {
    Values at_out(12);
    run({OpKind::LogSoftmaxForward, 3, 4, 1}, at, at_out);
    return weighted_sum(at_out, dout);
  });
}

TEST(Gradient, OfNegativeLogLikelihood) {
  Values x = values(12, 11), target{2, 0, 3}, dloss{0.5f}, dx(12);
  run({OpKind::NllLossBackward, 3, 4, 1}, dloss, target, dx);
  expect_gradient(x, dx, [&](Values& at) {
    Values loss(1);
    run({OpKind::NllLossForward, 3, 4, 1}, at, target, loss);
    return 0.5 * double{loss[0]};
  });
}

// Cross entropy as a whole, through both of its ops: softmax minus one-hot, over the rows.
TEST(Gradient, OfCrossEntropy) {
  Values x = values(12, 12), target{1, 1, 0}, dloss{1}, out(12), dout(12), dx(12);
  run({OpKind::LogSoftmaxForward, 3, 4, 1}, x, out);
  run({OpKind::NllLossBackward, 3, 4, 1}, dloss, target, dout);
  run({OpKind::LogSoftmaxBackward, 3, 4, 1}, dout, out, dx);
  for (std::size_t i = 0; i < 12; ++i) {
    const bool is_target = static_cast<float>(i % 4) == target[i / 4];
    EXPECT_NEAR(dx[i], (std::exp(double{out[i]}) - (is_target ? 1 : 0)) / 3, 1e-6);
  }
  expect_gradient(x, dx, [&](Values& at) {
    Values at_out(12), loss(1);
    run({OpKind::LogSoftmaxForward, 3, 4, 1}, at, at_out);
    run({OpKind::NllLossForward, 3, 4, 1}, at_out, target, loss);
    return double{loss[0]};
  });
}

}  // namespace
}  // namespace lanescope::ops
