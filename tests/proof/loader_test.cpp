// The data loader: P27 and P28.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

// Persistent workers are not restarted: the first batch of an epoch comes sooner.
TEST(Loader, P27PersistentWorkersShortenTheStartOfAnEpoch) {
  const Story story("P27", 192);  // three epochs of 64 batches
  EXPECT_GT(story.before()["own.epoch_start_ms"], story.after()["own.epoch_start_ms"]);
  EXPECT_GT(story.gain(), 1);
  EXPECT_LT(story.compared("transfer").ours.value_or(99), 10);
  EXPECT_LT(story.gain(), 1.5);
}

// prefetch factor x workers x batch: 2 x 8 batches of 4 samples of 588 KiB are 36.75 MiB, 8 x 16 of 32 are 2,352.
TEST(Loader, P28PrefetchingTakesHostMemory) {
  const Story story("P28", 64);
  EXPECT_DOUBLE_EQ(story.before()["own.ram_mib"], 36.75);
  EXPECT_DOUBLE_EQ(story.after()["own.ram_mib"], 2352);
  // A quarter of it would do: the wait does not depend on it.
  const SideRun less(story.data(), experiment::Side::After, 64, {"prefetch_factor=2"});
  EXPECT_DOUBLE_EQ(less["own.ram_mib"], 2352 / 4.0);
  EXPECT_NEAR(less["own.wait_ms"], story.after()["own.wait_ms"], 0.1 * story.after()["own.wait_ms"]);
}

}  // namespace
}  // namespace lanescope::proof
