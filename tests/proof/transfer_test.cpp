// Copies and waits in a loop: P01 to P03, P21, T2, O1.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

TEST(Transfer, P01TheChattyLoopWaitsThreeTimes) {
  const Story story("P01", 100);
  EXPECT_EQ(story.before().syncs(), 3 * 100);
  EXPECT_EQ(story.after().syncs(), 1);
  EXPECT_GT(story.gain(), 1.1);
  EXPECT_LT(story.gain(), 1.6);  // 1.5 was published
  // The bytes themselves take next to nothing: two copies of 8,000 bytes, about 2 us each.
  EXPECT_LT(story.before()["h2d_ms"], 0.01);
  EXPECT_GT(story.before()["own.copy_us"], 20 * 1e3 * story.before()["h2d_ms"] / 2);
}

// A read in each iteration, or in the first of a hundred; what remains is the model, 0.5 ms and two small kernels.
TEST(Transfer, P02ResidentDataLeavesTheModel) {
  const Story story("P02", 200);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_EQ(story.after().syncs(), 2);  // 0.01 per iteration
  EXPECT_NEAR(story.after().us_per_iteration(), 510, 10);
  EXPECT_NEAR(story.compared("total_resident").ratio.value_or(0), 1, 0.05);
  EXPECT_GT(story.gain(), 1.05);
}

// sim:teaching: the model's kernel starts 10 us after its launch, at 30, and ends at 530; two small kernels of 10 us
// follow, and the copy of four bytes. The read came after three launches of 20 us, at 60, and is back 100 us after the
// copy's end, at 650. From there the GPU gets its next kernel after 30 us: 520 us of work in 650 us.
TEST(Transfer, P02AReadIsAWaitAndABubble) {
  const Story story("P02", 200, "sim:teaching", {"dispatch_us=10"});
  EXPECT_NEAR(story.before()["own.read_us"], 650 - 60, 0.1);
  EXPECT_NEAR(story.before()["iteration_us"], 650, 0.1);
  EXPECT_NEAR(story.before()["bubble_percent"], 100 * 130 / 650.0, 0.1);
  EXPECT_NEAR(story.after().us_per_iteration(), 520 + 2 * 130 / 200.0, 1);
}

// The four statements on the CPU are the iteration; the wait for the model is inside the read.
TEST(Transfer, P03TheReadHoldsTheWaitForTheModel) {
  const Story story("P03", 100);
  const SideRun& run = story.before();
  const double sum = run["own.make_us"] + run["own.copy_us"] + run["own.launch_us"] + run["own.read_us"];
  EXPECT_NEAR(sum, run.us_per_iteration(), 0.01 * run.us_per_iteration());
  EXPECT_GT(run["own.read_us"], 480);
  EXPECT_LT(run["own.launch_us"], 50);  // not 500
  EXPECT_DOUBLE_EQ(story.after()["own.copy_us"], 0);
}

// GradScaler.step() reads found_inf: one wait per iteration, which is not visible in the program.
TEST(Transfer, P21GradScalerHidesOneSync) {
  const Story story("P21", 50);
  EXPECT_EQ(story.before().syncs(), 50);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_GT(story.before()["bubble_percent"], story.after()["bubble_percent"]);
  // Both train for 1.5 ms in an iteration; the read's bubble and the scaler's kernels come on top.
  EXPECT_GT(story.gain(), 1.02);
  EXPECT_LT(story.gain(), 1.2);
}

// sim:teaching, with 10 us of dispatch: a blocking copy of 4,000 bytes is 10 us of dispatch, 10 of the call, 10 until
// the wait begins, and it is back 100 us after the copy's end; without blocking it is the first two and 0.8 us for
// taking the bytes into the command: 41.6 us for two copies.
TEST(Transfer, T2SmallCopiesCostTheirWaits) {
  const Story story("T2", 100, "sim:teaching", {"dispatch_us=10"});
  EXPECT_EQ(story.before().syncs(), 2 * 100);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_NEAR(story.after()["own.copy_us"], 41.6, 0.1);
  EXPECT_GE(story.before()["own.copy_us"], 2 * 130);
  EXPECT_LE(story.before()["own.copy_us"], 2 * 140);
  EXPECT_GT(story.gain(), 3);
}

TEST(Transfer, O1OverlapTakesPinnedMemoryAndASecondStream) {
  const Story story("O1", 300);
  EXPECT_LT(story.before().overlap_us(), 1);
  EXPECT_GT(story.after().overlap_us(), 0.5 * 1e3 * story.after()["h2d_ms"]);
  EXPECT_GT(story.gain(), 1.4);
  EXPECT_EQ(story.after().syncs(), 300) << "the reads";
  // A second stream alone is not enough: the CPU stages a pageable batch, and the model waits for it.
  const SideRun pageable(story.data(), experiment::Side::After, 300, {"pinned=false"});
  EXPECT_GT(pageable.us_per_iteration(), 1.3 * story.after().us_per_iteration());
}

}  // namespace
}  // namespace lanescope::proof
