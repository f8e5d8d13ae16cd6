#include "device/sim/cost_model.h"

#include <gtest/gtest.h>

#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using ops::Op;
using ops::OpKind;

CostModel model(const Replaced& replaced = {}) {
  return CostModel(parse_profile(round_profile_text(replaced), "round.toml"));
}

TEST(CostModel, BytesBoundAnElementwiseKernel) {
  // (a - b)^2 of 1,000,000 elements: 12 MB at 100 GB/s are 120 us; 2 MFLOP at 1 TFLOP/s only 2.
  EXPECT_EQ(model().kernel(Op{OpKind::MseForward, 1000, 1000}), us(220));
}

TEST(CostModel, ArithmeticBoundsAMatrixProduct) {
  // 2 * 64 * 64 * 1000 + 64 * 64 = 8,196,096 FLOP are 8.196 us at the full rate. Tiles of 16 x 32: 4 * 2 = 8 tiles on 4
  // SMs are two full waves. 4 * (2 * 64,000 + 64 + 4,096) bytes at 100 GB/s would be 5.286 us.
  EXPECT_EQ(model().kernel(Op{OpKind::LinearForward, 64, 64, 1000}), us(108.196));
}

TEST(CostModel, ASmallMatrixProductUsesPartOfTheMachine) {
  const CostModel costs = model();
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::LinearForward, 16, 32, 1000}), 0.25);   // 1 tile on 4 SMs
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::LinearForward, 17, 32, 1000}), 0.5);    // 2
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::LinearForward, 80, 32, 1000}), 0.625);  // 5 tiles in 2 waves of 4
  // 2 * 16 * 32 * 100,000 + 512 = 102,400,512 FLOP at a quarter of 1 TFLOP/s; the bytes take 192 us.
  EXPECT_EQ(costs.kernel(Op{OpKind::LinearForward, 16, 32, 100'000}), us(100) + 409'602);
}

TEST(CostModel, TheResultsShapeIsWhatIsCutIntoTiles) {
  const CostModel costs = model();
  // dw[n, k] of n = 16, k = 32 is one tile, whatever the batch; dx[m, k] of m = 16, k = 64 is two.
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::LinearWeightGrad, 4096, 16, 32}), 0.25);
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::LinearInputGrad, 16, 4096, 64}), 0.5);
  EXPECT_DOUBLE_EQ(costs.utilisation(Op{OpKind::ReluForward, 1, 1}), 1);
}

TEST(CostModel, ReachedFractionScalesBothPeaks) {
  const CostModel half = model({{"gpu.reached_fraction", "0.5"}});
  EXPECT_EQ(half.kernel(Op{OpKind::MseForward, 1000, 1000}), us(340));
  EXPECT_EQ(half.kernel(Op{OpKind::LinearForward, 64, 64, 1000}), us(100) + 16'392);
}

TEST(CostModel, RemembersManyShapesRightly) {
  const CostModel costs = model();
  for (int round = 0; round < 2; ++round) {
    for (std::int32_t n = 1; n <= 500; ++n) {
      EXPECT_EQ(costs.kernel(Op{OpKind::Fill, 100'000, n}), us(100) + n * 4'000) << n;
    }
  }
}

// Takes exactly the requested time: no floor, no memory latency; the shape does not matter.
TEST(CostModel, ASpinTakesWhatItIsAskedFor) {
  const CostModel costs = model();
  EXPECT_EQ(costs.kernel(Op{OpKind::Spin, 1, 1, 1, 250.5f}), 250'500);
  EXPECT_EQ(costs.kernel(Op{OpKind::Spin, 1, 1, 1, 20'000}), us(20'000));
  EXPECT_EQ(costs.kernel(Op{OpKind::Spin, 1, 1, 1, 0}), 0);
}

TEST(CostModel, HostMemory) {
  const CostModel costs = model();
  EXPECT_EQ(costs.host_alloc(1 << 20), us(1100));
  EXPECT_EQ(costs.host_free(1 << 19), us(280));
  EXPECT_EQ(costs.host_copy(1'000'000), us(100));
}

}  // namespace
}  // namespace lanescope::device::sim
