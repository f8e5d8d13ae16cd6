// Every op on an example small enough to be calculated by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "device/op.h"

namespace lanescope::ops {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using Values = std::vector<float>;

template <typename... V>
void run_op(const Op& op, V&... values) {
  const std::array<std::span<float>, sizeof...(V)> args{std::span<float>(values)...};
  run_reference(op, args);
}

// x is 2x3, w is 2x3 (n=2, k=3):
//   x w^T = [1 2 3; 4 5 6] [1 0 -1; 2 1 0]^T = [1-3, 2+2; 4-6, 8+5] = [-2 4; -2 13], plus bias [10 20].
TEST(Reference, LinearForward) {
  Values x{1, 2, 3, 4, 5, 6}, w{1, 0, -1, 2, 1, 0}, bias{10, 20}, out(4);
  run_op({OpKind::LinearForward, 2, 2, 3}, x, w, bias, out);
  EXPECT_THAT(out, ElementsAre(8, 24, 8, 33));
}

// dw[j,:] = sum over i of dout[i,j] x[i,:]: dw[0] = 1*[1 2 3] + 3*[4 5 6], dw[1] = 2*[1 2 3] - 1*[4 5 6].
TEST(Reference, LinearWeightGrad) {
  Values dout{1, 2, 3, -1}, x{1, 2, 3, 4, 5, 6}, dw(6, 99.0f);
  run_op({OpKind::LinearWeightGrad, 2, 2, 3}, dout, x, dw);
  EXPECT_THAT(dw, ElementsAre(13, 17, 21, -2, -1, 0));
}

// dx[i,:] = sum over j of dout[i,j] w[j,:]: dx[0] = [1 0 -1] + 2*[2 1 0], dx[1] = 3*[1 0 -1] - [2 1 0].
TEST(Reference, LinearInputGrad) {
  Values dout{1, 2, 3, -1}, w{1, 0, -1, 2, 1, 0}, dx(6, 99.0f);
  run_op({OpKind::LinearInputGrad, 2, 2, 3}, dout, w, dx);
  EXPECT_THAT(dx, ElementsAre(5, 2, -1, 1, -1, -3));
}

TEST(Reference, LinearBiasGrad) {
  Values dout{1, 2, 3, -1}, db(2, 99.0f);
  run_op({OpKind::LinearBiasGrad, 2, 2, 1}, dout, db);
  EXPECT_THAT(db, ElementsAre(4, 1));
}

TEST(Reference, Relu) {
  Values x{-1, 0, 2, -0.5f}, out(4), dout{5, 6, 7, 8}, dx(4, 99.0f);
  run_op({OpKind::ReluForward, 2, 2, 1}, x, out);
  EXPECT_THAT(out, ElementsAre(0, 0, 2, 0));
  run_op({OpKind::ReluBackward, 2, 2, 1}, dout, x, dx);
  EXPECT_THAT(dx, ElementsAre(0, 0, 7, 0));
}

TEST(Reference, ReluPassesNanOn) {
  Values x{std::numeric_limits<float>::quiet_NaN()}, out(1);
  run_op({OpKind::ReluForward, 1, 1, 1}, x, out);
  EXPECT_TRUE(std::isnan(out[0]));
}

// Differences [1 -2 3 0]: squares [1 4 9 0], mean 14/4 = 3.5, gradient 2 d * dloss / 4 with dloss 2: [1 -2 3 0].
TEST(Reference, MeanSquaredError) {
  Values a{1, 2, 3, 4}, b{0, 4, 0, 4}, squares(4), loss(1), dloss{2}, da(4);
  run_op({OpKind::MseForward, 2, 2, 1}, a, b, squares);
  EXPECT_THAT(squares, ElementsAre(1, 4, 9, 0));
  run_op({OpKind::MeanReduce, 2, 2, 1}, squares, loss);
  EXPECT_THAT(loss, ElementsAre(3.5f));
  run_op({OpKind::MseBackward, 2, 2, 1}, dloss, a, b, da);
  EXPECT_THAT(da, ElementsAre(1, -2, 3, 0));
}

// k selects the place in `out`, so that the means of a window are stored side by side.
TEST(Reference, MeanReduceWritesOneSlot) {
  Values x{1, 2, 3, 6}, out(3, 99.0f);
  run_op({OpKind::MeanReduce, 2, 2, 2}, x, out);
  EXPECT_THAT(out, ElementsAre(99, 3, 99));
  run_op({OpKind::MeanReduce, 2, 1, 3}, x, out);
  EXPECT_THAT(out, ElementsAre(99, 3, 1.5f));
}

// Summed in double: in float, 2^24 + 1 + 1 would stay 2^24.
TEST(Reference, SumReduce) {
  Values x{16'777'216, 1, 1, -2, 5}, sum(2, 99.0f);
  run_op({OpKind::SumReduce, 3, 1, 7}, x, sum);
  EXPECT_THAT(sum, ElementsAre(16'777'218, 99));
}

TEST(Reference, ScaleAlsoInPlace) {
  Values x{1, -2, 3, 8}, out(4, 99.0f);
  run_op({OpKind::Scale, 2, 2, 1, 0.5f}, x, out);
  EXPECT_THAT(out, ElementsAre(0.5f, -1, 1.5f, 4));
  run_op({OpKind::Scale, 3, 1, 1, 2}, x, x);
  EXPECT_THAT(x, ElementsAre(2, -4, 6, 8));
}

TEST(Reference, CompareGreaterIsStrict) {
  Values x{999, 1000, 1001, std::numeric_limits<float>::quiet_NaN()}, out(4, 99.0f);
  run_op({OpKind::CompareGreater, 2, 2, 1, 1000}, x, out);
  EXPECT_THAT(out, ElementsAre(0, 0, 1, 0));
}

TEST(Reference, StackCopies) {
  Values x{3, 1, 2, 7}, out(4, 99.0f);
  run_op({OpKind::Stack, 3, 1, 1}, x, out);
  EXPECT_THAT(out, ElementsAre(3, 1, 2, 99));
}

TEST(Reference, ColumnTakesTheFirstOfEachRow) {
  Values x{3, 1, 2, 7, 8, 9}, out(4, 99.0f);
  run_op({OpKind::Column, 3, 1, 2}, x, out);
  EXPECT_THAT(out, ElementsAre(3, 2, 8, 99));
  run_op({OpKind::Column, 2, 1, 3}, x, out);
  EXPECT_THAT(out, ElementsAre(3, 7, 8, 99));
}

TEST(Reference, IncrementAddsToEveryElement) {
  Values a{3, -1, 2, 99};
  run_op({OpKind::Increment, 3, 1, 1, 1}, a);
  EXPECT_THAT(a, ElementsAre(4, 0, 3, 99));
}

// Row 1: x = ln [1 3], sum 4, log softmax = ln [1/4 3/4]. Row 2: equal values, ln [1/2 1/2], however large they are.
TEST(Reference, LogSoftmaxForward) {
  Values x{0, std::log(3.0f), 1000, 1000}, out(4);
  run_op({OpKind::LogSoftmaxForward, 2, 2, 1}, x, out);
  EXPECT_THAT(out,
              Pointwise(FloatNear(1e-6f), Values{std::log(0.25f), std::log(0.75f), std::log(0.5f), std::log(0.5f)}));
}

// out = ln [1/4 3/4], dout = [-1 2], sum 1: dx = dout - softmax * 1 = [-1.25 1.25].
TEST(Reference, LogSoftmaxBackward) {
  Values dout{-1, 2}, out{std::log(0.25f), std::log(0.75f)}, dx(2);
  run_op({OpKind::LogSoftmaxBackward, 1, 2, 1}, dout, out, dx);
  EXPECT_THAT(dx, Pointwise(FloatNear(1e-6f), Values{-1.25f, 1.25f}));
}

// loss = -(x[0,2] + x[1,0]) / 2 = -(-3 - 4) / 2 = 3.5; the gradient is -dloss/2 at those two places.
TEST(Reference, NegativeLogLikelihood) {
  Values x{-1, -2, -3, -4, -5, -6}, target{2, 0}, loss(1), dloss{3}, dx(6, 99.0f);
  run_op({OpKind::NllLossForward, 2, 3, 1}, x, target, loss);
  EXPECT_THAT(loss, ElementsAre(3.5f));
  run_op({OpKind::NllLossBackward, 2, 3, 1}, dloss, target, dx);
  EXPECT_THAT(dx, ElementsAre(0, 0, -1.5f, -1.5f, 0, 0));
}

TEST(Reference, FillAndAdd) {
  Values a(4), b{1, 2, 3, 4};
  run_op({OpKind::Fill, 2, 2, 1, 0.5f}, a);
  EXPECT_THAT(a, ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  run_op({OpKind::AddInPlace, 2, 2, 1}, a, b);
  EXPECT_THAT(a, ElementsAre(1.5f, 2.5f, 3.5f, 4.5f));
}

TEST(Reference, SgdStepsSeveralTensorsAtOnce) {
  Values weights{1, 2, 3}, weight_grads{10, -10, 0}, bias{4}, bias_grad{1};
  run_op({OpKind::SgdStep, 4, 1, 1, 0.1f}, weights, weight_grads, bias, bias_grad);
  EXPECT_THAT(weights, Pointwise(FloatEq(), Values{0, 3, 3}));
  EXPECT_THAT(bias, Pointwise(FloatEq(), Values{3.9f}));
}

TEST(Reference, LargerBuffersAreLeftAloneBeyondTheShape) {
  Values a(6, 7.0f);
  run_op({OpKind::Fill, 2, 2, 1, 0}, a);
  EXPECT_THAT(a, ElementsAre(0, 0, 0, 0, 7, 7));
}

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WrongSizes, AreNamed) {
  Values three(3), four(4), six(6);
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::ReluForward, 2, 2, 1}, four, three);
            }),
            "relu_forward: argument 'out' has 3 elements; at least 4 needed");
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::ReluForward, 2, 2, 1}, four);
            }),
            "relu_forward: 1 arguments given; 2 needed");
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::LinearForward, 2, 2, 3}, six, four, four, four);
            }),
            "linear_forward: argument 'w' has 4 elements; at least 6 needed");
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::Fill, 0, 2, 1}, four);
            }),
            "fill: shape m=0 n=2 k=1 is not allowed; each is at least 1");
  EXPECT_THAT(error_of([&] { run_op({OpKind::Fill, -2, -2, 1}, four); }), HasSubstr("at least 1"));
}

TEST(WrongSizes, OfEveryOpThrow) {
  Values none;
  for (int kind = 0; kind < static_cast<int>(OpKind::Spin); ++kind) {
    const Op op{static_cast<OpKind>(kind), 2, 3, 4};
    const std::span<float> empty(none);
    for (std::size_t count = 0; count <= kMaxArgs + 1; ++count) {
      const std::vector<std::span<float>> args(count, empty);
      EXPECT_THROW(run_reference(op, args), base::Error) << kernel_name(op.kind) << " with " << count;
    }
  }
}

TEST(WrongSizes, OfTheSgdStep) {
  Values three(3), four(4);
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::SgdStep, 3, 1, 1}, three, four);
            }),
            "sgd_step: pair 0 has 3 parameters and 4 gradients; they must be equally many");
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::SgdStep, 5, 1, 1}, four, four);
            }),
            "sgd_step: the pairs have 4 elements; m says 5");
  EXPECT_EQ(error_of([&] {
              run_op({OpKind::SgdStep, 4, 1, 1}, four, four, four);
            }),
            "sgd_step: 3 arguments given; allowed: 1 to 4 pairs");
}

// A device checks before launching what cannot be undone.
TEST(WrongSizes, CanBeAskedForWithoutValues) {
  const std::size_t right[] = {6, 15, 3, 9}, wrong[] = {6, 15, 2, 9}, pair[] = {5, 5};
  EXPECT_EQ(error_of([&] { check_arguments({OpKind::LinearForward, 2, 3, 3}, right); }), "no error");
  EXPECT_EQ(error_of([&] {
              check_arguments({OpKind::LinearForward, 2, 3, 3}, wrong);
            }),
            "linear_forward: argument 'bias' has 2 elements; at least 3 needed");
  const std::size_t slots[] = {6, 3};  // out[k-1] must exist; a sum has one place
  EXPECT_EQ(error_of([&] { check_arguments({OpKind::MeanReduce, 2, 3, 3}, slots); }), "no error");
  EXPECT_EQ(error_of([&] { check_arguments({OpKind::SumReduce, 2, 3, 4}, slots); }), "no error");
  EXPECT_EQ(error_of([&] {
              check_arguments({OpKind::MeanReduce, 2, 3, 4}, slots);
            }),
            "mean_reduce: argument 'out' has 3 elements; at least 4 needed");
  for (const OpKind kind : {OpKind::Scale, OpKind::CompareGreater, OpKind::Stack}) {
    EXPECT_EQ(error_of([&] {
                check_arguments({kind, 2, 3, 1}, slots);
              }),
              std::string(kernel_name(kind)) + ": argument 'out' has 3 elements; at least 6 needed");
  }
  EXPECT_EQ(error_of([&] {
              check_arguments({OpKind::Column, 4, 1, 2}, slots);
            }),
            "column: argument 'x' has 6 elements; at least 8 needed");
  EXPECT_EQ(error_of([&] { check_arguments({OpKind::SgdStep, 5, 1, 1}, pair); }), "no error");
  EXPECT_EQ(error_of([&] { check_arguments({OpKind::Spin, 1, 1, 1}, pair); }), "spin: 2 arguments given; 0 needed");
}

TEST(Spin, ComputesNothingAndTakesNothing) {
  EXPECT_EQ(error_of([] { run_reference({OpKind::Spin, 1, 1, 1, 1e9f}, {}); }), "no error");
  Values one(1);
  EXPECT_EQ(error_of([&] { run_op({OpKind::Spin, 1, 1, 1, 5}, one); }), "spin: 1 arguments given; 0 needed");
  EXPECT_THAT(error_of([] { run_reference({OpKind::Spin, 0, 1, 1, 5}, {}); }), HasSubstr("at least 1"));
}

TEST(WrongTargets, AreNamed) {
  Values x(3), loss(1), target(1);
  for (const float wrong : {3.0f, -1.0f, 0.5f, std::numeric_limits<float>::quiet_NaN()}) {
    target[0] = wrong;
    EXPECT_THAT(error_of([&] {
                  run_op({OpKind::NllLossForward, 1, 3, 1}, x, target, loss);
                }),
                HasSubstr("is not a class; allowed: 0 to 2"));
    EXPECT_THROW(run_op({OpKind::NllLossBackward, 1, 3, 1}, loss, target, x), base::Error);
  }
}

TEST(UnknownOp, Throws) { EXPECT_THROW(kernel_name(static_cast<OpKind>(200)), base::Error); }

}  // namespace
}  // namespace lanescope::ops
