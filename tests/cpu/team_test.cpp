#include "device/cpu/products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "device/op.h"

namespace lanescope::device::cpu {
namespace {

using testing::Each;

TEST(Team, EveryPartIsDoneOnceBeforeRunReturns) {
  Team team(4);
  EXPECT_EQ(team.size(), 4);
  for (int parts = 1; parts <= 4; ++parts) {
    for (int time = 0; time < 200; ++time) {
      std::vector<int> done(static_cast<std::size_t>(parts), 0);
      team.run(parts, [&](int part) { ++done[static_cast<std::size_t>(part)]; });
      ASSERT_THAT(done, Each(1)) << parts << " parts";
    }
  }
}

TEST(Team, TheCallerDoesTheFirstPart) {
  Team team(2);
  std::thread::id first, second;
  team.run(2, [&](int part) { (part == 0 ? first : second) = std::this_thread::get_id(); });
  EXPECT_EQ(first, std::this_thread::get_id());
  EXPECT_NE(second, first);
}

TEST(Team, CallersTakeTurns) {
  Team team(3);
  std::atomic<int> inside{0}, done{0};
  const auto call = [&] {
    for (int i = 0; i < 100; ++i) {
      team.run(3, [&](int) {
        EXPECT_LT(inside.fetch_add(1), 3);
        done.fetch_add(1);
        inside.fetch_sub(1);
      });
    }
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(done, 600);
}

// All ones: each sum has as many terms as are summed over, and the bias adds 1. More than a million operations each, so
// that they are divided wherever there are several cores; 301 rows cannot be divided evenly.
TEST(Products, LargeOnesAreDividedAndWhole) {
  constexpr int kRows = 301, kColumns = 83, kTerms = 120;
  const auto ones = [](int rows, int columns) {
    return std::vector<float>(static_cast<std::size_t>(rows * columns), 1);
  };
  std::vector<float> x = ones(kRows, kTerms), w = ones(kColumns, kTerms), bias = ones(1, kColumns),
                     out = ones(kRows, kColumns);
  const std::vector<std::span<float>> forward{x, w, bias, out};
  compute_product({ops::OpKind::LinearForward, kRows, kColumns, kTerms}, forward);
  EXPECT_THAT(out, Each(kTerms + 1.0f));
  // Each column of dout has its own number, so that a part that reads the wrong columns is seen.
  std::vector<float> dout = ones(kRows, kColumns), dw = ones(kColumns, kTerms), dx = ones(kRows, kTerms);
  for (std::size_t i = 0; i < dout.size(); ++i) dout[i] = static_cast<float>(i % kColumns);
  const std::vector<std::span<float>> of_weight{dout, x, dw};
  compute_product({ops::OpKind::LinearWeightGrad, kRows, kColumns, kTerms}, of_weight);
  for (std::size_t i = 0; i < dw.size(); ++i) {
    ASSERT_EQ(dw[i], static_cast<float>(kRows * static_cast<int>(i / kTerms))) << i;  // column i / kTerms, kRows times
  }
  const std::vector<std::span<float>> of_input{dout, w, dx};
  compute_product({ops::OpKind::LinearInputGrad, kRows, kColumns, kTerms}, of_input);
  EXPECT_THAT(dx, Each(kColumns * (kColumns - 1) / 2.0f));
}

}  // namespace
}  // namespace lanescope::device::cpu
