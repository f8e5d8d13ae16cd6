#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "device/op.h"

namespace lanescope::ops {
namespace {

struct Cost {
  OpKind kind;
  const char* name;
  double flops;
  double floats;  // read and written
  bool gemm;
};

// With m = 2, n = 3, k = 5: mn = 6, mk = 10, nk = 15, mnk = 30.
TEST(Cost, OfEveryOpByHand) {
  const std::vector<Cost> expected{
      {OpKind::LinearForward, "linear_forward", 2 * 30 + 6, 10 + 15 + 3 + 6, true},
      {OpKind::LinearWeightGrad, "linear_weight_grad", 60, 6 + 10 + 15, true},
      {OpKind::LinearInputGrad, "linear_input_grad", 60, 6 + 15 + 10, true},
      {OpKind::LinearBiasGrad, "linear_bias_grad", 6, 6 + 3, false},
      {OpKind::ReluForward, "relu_forward", 6, 12, false},
      {OpKind::ReluBackward, "relu_backward", 6, 18, false},
      {OpKind::MseForward, "mse_forward", 12, 18, false},
      {OpKind::MeanReduce, "mean_reduce", 6, 7, false},
      {OpKind::MseBackward, "mse_backward", 12, 19, false},
      {OpKind::LogSoftmaxForward, "log_softmax_forward", 30, 12, false},
      {OpKind::LogSoftmaxBackward, "log_softmax_backward", 24, 18, false},
      {OpKind::NllLossForward, "nll_loss_forward", 2, 2 + 2 + 1, false},
      {OpKind::NllLossBackward, "nll_loss_backward", 0, 1 + 2 + 6, false},
      {OpKind::Fill, "fill", 0, 6, false},
      {OpKind::AddInPlace, "add_in_place", 6, 18, false},
      {OpKind::SgdStep, "sgd_step", 12, 18, false},
      {OpKind::SumReduce, "sum_reduce", 6, 7, false},
      {OpKind::Scale, "scale", 6, 12, false},
      {OpKind::CompareGreater, "compare_greater", 6, 12, false},
      {OpKind::Stack, "stack", 0, 12, false},
      {OpKind::Column, "column", 0, 10 + 2, false},
      {OpKind::Increment, "increment", 6, 12, false},
      {OpKind::Spin, "spin", 0, 0, false},
  };
  std::set<std::string> names;
  for (const Cost& cost : expected) {
    const Op op{cost.kind, 2, 3, 5};
    EXPECT_EQ(kernel_name(cost.kind), cost.name);
    EXPECT_EQ(flops(op), cost.flops) << cost.name;
    EXPECT_EQ(bytes_moved(op), 4 * cost.floats) << cost.name;
    EXPECT_EQ(is_gemm(cost.kind), cost.gemm) << cost.name;
    names.insert(cost.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(OpKind::Spin) + 1);
}

// The forward of P08: 128 x 1000 x 1000 is 0.256 GFLOP and a little for the bias, and moves 5.028 MB.
TEST(Cost, OfTheTutorialsLinearLayer) {
  const Op op{OpKind::LinearForward, 128, 1000, 1000};
  EXPECT_EQ(flops(op), 256'128'000.0);
  EXPECT_EQ(bytes_moved(op), 4.0 * (128'000 + 1'000'000 + 1'000 + 128'000));
}

// A column of rows of 100 numbers: a sector of 8 numbers of each row, and the number that is written.
TEST(Cost, OfAColumnIsASectorOfEachRow) { EXPECT_EQ(bytes_moved({OpKind::Column, 1000, 1, 100}), 1000 * 4 * 9); }

// 65536 x 65536 is beyond 31 bits: the products are made in double.
TEST(Cost, DoesNotOverflow) { EXPECT_EQ(flops({OpKind::ReluForward, 65'536, 65'536, 1}), 4'294'967'296.0); }

}  // namespace
}  // namespace lanescope::ops
