// Control flow that depends on the GPU: P11 to P13, P15.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

TEST(ControlFlow, P11TenChecksAreTenWaits) {
  const Story story("P11", 20);
  EXPECT_DOUBLE_EQ(story.before()["own.syncs_in_forward"], 10);
  EXPECT_EQ(story.before().syncs(), 10 * 20);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_GT(story.gain(), 1.2);
  EXPECT_LT(story.gain(), 5);  // and not 20: the layers themselves take most of the time
  EXPECT_GT(story.before()["bubble_percent"], story.after()["bubble_percent"] + 15);
}

// The sum of 32 x 100 numbers begins near 720: ten halvings and the eleventh question. One row begins near 22: five.
TEST(ControlFlow, P12TheLoopAsksOncePerTurnForTheWholeBatch) {
  const Story story("P12", 20);
  EXPECT_DOUBLE_EQ(story.before()["own.branches_taken"], 10);
  EXPECT_EQ(story.before().syncs(), 11 * 20);
  EXPECT_GE(story.after()["own.branches_taken"], 4);
  EXPECT_LE(story.after()["own.branches_taken"], 6);
  const experiment::Compared syncs = story.compared("syncs_per_batch");
  EXPECT_EQ(syncs.published->quality, experiment::Quality::Impossible);
  EXPECT_LT(syncs.ratio.value_or(1), 0.05);  // 11 of 320
}

TEST(ControlFlow, P13AFixedCountNeedsNoWait) {
  const Story story("P13", 20);
  EXPECT_EQ(story.before().syncs(), 11 * 20);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_GT(story.gain(), 2);
}

// From step to step: waits per iteration, and never faster.
TEST(ControlFlow, P15EveryRungOfTheLadderWaitsMore) {
  const experiment::Experiment& data = experiment::experiment_named("P15");
  const auto rung = [&](const Settings& settings) { return SideRun(data, experiment::Side::After, 100, settings); };
  const SideRun none = rung({"log_interval=0"}), rare = rung({"log_interval=100"}), each = rung({"log_interval=1"});
  const SideRun inside(data, experiment::Side::Before, 30);
  EXPECT_EQ(none.syncs(), 0);
  EXPECT_EQ(rare.syncs(), 1);
  EXPECT_EQ(each.syncs(), 100);
  EXPECT_EQ(inside.syncs(), 10 * 30);
  EXPECT_NEAR(rare.us_per_iteration(), none.us_per_iteration(), 0.02 * none.us_per_iteration());
  EXPECT_GT(each.us_per_iteration(), 1.01 * none.us_per_iteration());
  EXPECT_GT(inside.us_per_iteration(), 1.2 * each.us_per_iteration());
}

}  // namespace
}  // namespace lanescope::proof
