// The iris tutorial on its own laptop: P22 to P26. All were measured, and the machine is named.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

using experiment::Quality;

void expect_within_a_tenth(const Story& story, const char* name) {
  const experiment::Compared c = story.compared(name);
  EXPECT_EQ(c.published->quality, Quality::Measured) << name;
  EXPECT_NEAR(c.ratio.value_or(0), 1, 0.1) << name;
}

TEST(Iris, P22TheCpuIsFaster) {
  const Story story("P22", 200);
  expect_within_a_tenth(story, "total_cpu");
  expect_within_a_tenth(story, "total_gpu");
  EXPECT_GT(story.gain(), 3);
  EXPECT_EQ(story.after().summary().launch_count, 0);  // there is no GPU
}

TEST(Iris, P23AReadEachEpoch) {
  const Story story("P23", 200);
  expect_within_a_tenth(story, "total");
  expect_within_a_tenth(story, "epoch");
  EXPECT_EQ(story.before().syncs(), 202);  // one in each epoch, and one more in every hundredth
  EXPECT_EQ(story.after().syncs(), 0);
}

// The cell meant to show a fast GPU ran on the CPU. On the GPU the same loop takes more than twice as long.
TEST(Iris, P24ItRanOnTheCpu) {
  const Story story("P24", 200);
  EXPECT_EQ(story.before().summary().gpu_op_count, 0);
  const experiment::Compared claimed = story.compared("claimed_for_gpu");
  EXPECT_EQ(claimed.published->quality, Quality::Impossible);
  EXPECT_GT(claimed.ratio.value_or(0), 2);
  // It took longer than P22, 4.62 s, with fewer reads: the profile stands between the two.
  expect_within_a_tenth(story, "total");
}

// 188 of 842 us were reads; the launches stay.
TEST(Iris, P25WithoutReadsTheLaunchesRemain) {
  const Story story("P25", 200);
  expect_within_a_tenth(story, "total");
  expect_within_a_tenth(story, "epoch");
  expect_within_a_tenth(story, "gain");
  EXPECT_GT(story.after()["bubble_percent"], 50);
}

// The row of 1,000 is noise: it is slower than the one with ten times as many reads, which no model can reproduce.
TEST(Iris, P26TheTableIsFlatFrom100On) {
  const Story story("P26", 400);
  for (const char* name : {"every_100", "every_200", "every_2000"}) expect_within_a_tenth(story, name);
  const double hundred = story.compared("every_100").ours.value_or(0);
  EXPECT_LT(story.compared("every_1000").ours.value_or(0), hundred);
  EXPECT_GT(story.compared("every_2000").ours.value_or(0), 0.95 * hundred);
}

}  // namespace
}  // namespace lanescope::proof
