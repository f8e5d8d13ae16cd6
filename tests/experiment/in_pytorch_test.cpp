#include "experiment/in_pytorch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::experiment {
namespace {

Measured run_of(double us) {
  Measured measured;
  measured.summary.pace.basis = analysis::PaceBasis::Elapsed;
  measured.summary.pace.ns = 1e3 * us;
  measured.summary.kernel_ns = 1;
  return measured;
}

// As assets/data/pytorch.toml has it: both sides of P09, and total_s for the 1,000 iterations that were published.
TEST(InPytorch, IsTheThirdColumn) {
  const Experiment& p09 = experiment_named("P09");
  const InPytorch* measured = in_pytorch(p09);
  ASSERT_NE(measured, nullptr);
  EXPECT_THAT(measured->machine(), testing::HasSubstr(measured->gpu));
  for (const PytorchSide& side : measured->sides) {
    EXPECT_LE(side.least_us, side.us);
    EXPECT_LE(side.us, side.most_us);
    EXPECT_GT(side.least_us, 0);
  }
  const auto numbers = published_in_pytorch(p09, measured);
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_NEAR(*numbers[0], 1000 * measured->sides[0].us / 1e6, 1e-9);
  EXPECT_NEAR(*numbers[2], measured->sides[0].us / measured->sides[1].us, 1e-9);
  // A figure of the loop itself: the bandwidth of P20's copies, in GB/s.
  const auto rates = published_in_pytorch(experiment_named("P20"), in_pytorch(experiment_named("P20")));
  EXPECT_TRUE(std::ranges::any_of(rates, [](const auto& rate) { return rate && *rate > 1 && *rate < 64; }));
}

TEST(InPytorch, OtherSettingsWereNotMeasured) {
  Experiment changed = experiment_named("P09");
  changed.settings.push_back("batch_size=64");
  EXPECT_EQ(in_pytorch(changed), nullptr);
}

TEST(InPytorch, AnotherDirectionIsSaid) {
  const InPytorch& p09 = *in_pytorch(experiment_named("P09"));
  const double there = p09.gain().factor;
  EXPECT_EQ(disagreement(p09, run_of(100 * there), run_of(100)), "") << "the same factor";
  EXPECT_EQ(disagreement(p09, run_of(109 * there), run_of(100)), "") << "less than a tenth apart";
  EXPECT_THAT(disagreement(p09, run_of(100), run_of(200)), testing::HasSubstr("here 0.50"));
}

}  // namespace
}  // namespace lanescope::experiment
