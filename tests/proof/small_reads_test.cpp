// The tutorials' side remarks: S0-tensorboard, S0-column, S2-hidden-read, S2-round-trip, S2-validation, S2-sync-debug,
// S3-raw-cuda, S4-wrong-device, S4-call-and-forward.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

// sim:teaching in all of these: calls of 10 us, 10 of dispatch before each, 10 from a call to the GPU, kernels of 10
// and more, 100 back from a wait. readback with a model of 500 has 580 us of kernels in an iteration; the first begins
// at 30.
const Settings kTeaching{"model_us=500", "dispatch_us=10"};

// item(): back at 30 + 580 + 100. add_scalar(): the same, in the copy to pageable memory, and 10 us for a wait that
// finds nothing to wait for.
TEST(SmallReads, S0TensorBoardWaitsAsItemDoes) {
  const Story story("S0-tensorboard", 100, "sim:teaching", kTeaching);
  EXPECT_NEAR(story.before()["iteration_us"], 710, 0.5);
  EXPECT_NEAR(story.after()["iteration_us"], 720, 0.5);
  EXPECT_EQ(story.before().syncs(), 100);
  EXPECT_EQ(story.after().syncs(), 2 * 100);  // the pageable copy waits by itself, and the synchronisation follows
  EXPECT_DOUBLE_EQ(story.after()["own.sync_warnings"], 0);  // the check is off
  EXPECT_DOUBLE_EQ(story.after()["own.waits"], 1);
  const Story published("S0-tensorboard", 100);
  EXPECT_NEAR(published.gain(), 1, 0.1);  // nothing is gained on the experiment's own machine either
  EXPECT_GT(published.after()["bubble_percent"], 5);
}

// 4,000,000 numbers of two columns. The GPU has written them at 30 + 500 + 10 + 16; the column takes 10 us and 24 MB
// more. To the CPU: 10 us for the first chunk and 20 for each of 160, or of 80. The first of the 20 arrays is in fresh
// memory, 100 us for each of 15.2588 MiB or of half of that; the others reuse it. Back 100 later, 10 for nothing, 2,000
// for drawing. The statement begins after two launches of 20 us.
TEST(SmallReads, S0OnlyTheColumnCrosses) {
  const Story story("S0-column", 20, "sim:teaching", {"model_us=500", "dispatch_us=10", "plot_ms=2"});
  const double whole = 30 + 526 + 10 + 160 * 20 + 1525.9 / 20, column = 30 + 526 + 34 + 10 + 80 * 20 + 762.9 / 20;
  EXPECT_NEAR(1e3 * story.before()["own.transfer_ms"], whole + 110 - 40, 1);
  EXPECT_NEAR(1e3 * story.after()["own.transfer_ms"], column + 110 - 40, 1);
  EXPECT_NEAR(story.before()["iteration_us"], whole + 2110, 1);
  EXPECT_NEAR(story.after()["iteration_us"], column + 2110, 1);
  EXPECT_EQ(story.before().summary().d2h_bytes, 2 * story.after().summary().d2h_bytes);
  EXPECT_DOUBLE_EQ(story.after()["own.wrong_arrays"], 0);
  EXPECT_GT(Story("S0-column", 20).gain(), 1.2);
}

// A kernel more than item(): back at 30 + 590 + 100. Tested every 100 iterations, 580 are left, and one gap of 140.
TEST(SmallReads, S2AnIfIsAKernelAByteAndAWait) {
  const Story story("S2-hidden-read", 200, "sim:teaching", kTeaching);
  EXPECT_NEAR(story.before()["iteration_us"], 720, 0.5);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_EQ(story.after().syncs(), 2);
  EXPECT_EQ(story.before().summary().d2h_bytes, 200);  // a byte each
  EXPECT_EQ(story.before().summary().launch_count - story.after().summary().launch_count, 198);
  EXPECT_NEAR(story.after().us_per_iteration(), 580 + (2 * 140 + 130) / 200.0, 2);
  EXPECT_GT(Story("S2-hidden-read", 200).gain(), 1.05);
}

// 4 MB, pageable. .cpu() begins when three launches of 20 us have been issued, 60 us after the forward pass began, and
// waits for its kernels: 500, 10 + 12 and 10 + 4 us, from 30 to 566. The copy is 10 us and 40 chunks of 20; the CPU is
// back 100 us later, 1476, and waits 10 for nothing. .cuda() is 20 us of dispatch and call, 40 chunks of 20 that the
// CPU stages, and a wait for the last chunk.
TEST(SmallReads, S2ARoundTripIsTwoCopiesForNothing) {
  const Story story("S2-round-trip", 50, "sim:teaching", kTeaching);
  EXPECT_EQ(story.before().syncs(), 3 * 50);  // the copy to the CPU waits by itself, and both are synchronised
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_EQ(story.before().summary().d2h_bytes, 50 * 4'000'000);
  EXPECT_EQ(story.after().summary().d2h_bytes, 0);
  // Elapsed time: after the last iteration the program waits for its model, some 520 us once.
  EXPECT_NEAR(story.before()["iteration_us"], 1486 + 20 + 800 + 110 + 520 / 50.0, 15);
  EXPECT_NEAR(story.after().us_per_iteration(), 536, 4);
  // "With 4 MB the copies take longer than the waits", on the story's own machine too.
  const Story published("S2-round-trip", 50);
  EXPECT_GT(published.before()["d2h_ms"] + published.before()["h2d_ms"],
            0.5 * 1e-3 * published.before().us_per_iteration());
  EXPECT_GT(published.gain(), 2);
}

// Three kernels behind the model and no backward pass: 30 + 530 + 100, or 540 and one gap of 140 in 200 batches.
TEST(SmallReads, S2SummingOnTheGpuIsOneReadForAll) {
  const Story story("S2-validation", 200, "sim:teaching", kTeaching);
  EXPECT_NEAR(story.before()["iteration_us"], 660, 0.5);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_EQ(story.after().syncs(), 1);
  EXPECT_NEAR(story.after().us_per_iteration(), 540 + 150 / 200.0, 1);
  // An addition for each batch, and the zero that the sum begins with.
  EXPECT_EQ(story.after().summary().launch_count - story.before().summary().launch_count, 201);
  EXPECT_GT(Story("S2-validation", 200).gain(), 1.05);
}

// Both sides wait once per iteration, and equally long: the copy without a warning is 10 us shorter, because the
// dispatch and the call of the synchronisation are missing. Only one of them causes a warning.
TEST(SmallReads, S2TheCheckSeesTheItemAndNotThePageableCopy) {
  const Story story("S2-sync-debug", 100, "sim:teaching", kTeaching);
  EXPECT_DOUBLE_EQ(story.before()["own.waits"], 1);
  EXPECT_DOUBLE_EQ(story.after()["own.waits"], 1);
  EXPECT_DOUBLE_EQ(story.before()["own.sync_warnings"], 1);
  EXPECT_DOUBLE_EQ(story.after()["own.sync_warnings"], 0);
  EXPECT_EQ(story.before().syncs(), 100);
  EXPECT_EQ(story.after().syncs(), 100);
  EXPECT_NEAR(story.before()["iteration_us"], 710, 0.5);
  EXPECT_NEAR(story.after()["iteration_us"], 710, 0.5);
  EXPECT_NEAR(story.gain(), 1, 0.01);
}

// By hand at SimulatedRawCuda: 810 + 20 + 1428 + 300 us, and 10 + 20 + 10 + 1398.
TEST(SmallReads, S3TheLaunchReturnsAndTheCopiesWait) {
  const Story story("S3-raw-cuda", 50, "sim:teaching");
  EXPECT_NEAR(story.before()["own.line1_us"], 810, 1);
  EXPECT_NEAR(story.before()["own.line2_us"], 20, 1);
  EXPECT_NEAR(story.before()["own.line3_us"], 1428, 1);
  EXPECT_NEAR(story.before()["iteration_us"], 2558, 1);
  EXPECT_NEAR(story.after()["iteration_us"], 1438, 1);
  EXPECT_EQ(story.before().syncs(), 2 * 50);
  EXPECT_EQ(story.after().syncs(), 50);
  for (const SideRun* side : {&story.before(), &story.after()}) EXPECT_DOUBLE_EQ((*side)["own.wrong_numbers"], 0);
  // On the story's own machine: a launch is microseconds, a copy of 4 MB hundreds.
  const Story published("S3-raw-cuda", 50);
  EXPECT_LT(published.before()["own.line2_us"], 20);
  EXPECT_GT(published.before()["own.line1_us"], 300);
  EXPECT_GT(published.before()["own.line3_us"], 500 + 300);
  EXPECT_GT(published.gain(), 1.5);
  // It takes both: with cudaMemcpyAsync from pageable memory line 1 still stages, and line 3 still waits.
  const SideRun pageable(published.data(), experiment::Side::After, 50, {"pinned=false"});
  EXPECT_GT(pageable["own.line1_us"], 300);
  EXPECT_GT(pageable["own.line3_us"], 500);
}

TEST(SmallReads, S4NothingIsLaunchedOnTheWrongDevice) {
  const Story story("S4-wrong-device", 100);
  EXPECT_DOUBLE_EQ(story.before()["own.errors"], 1);
  EXPECT_FALSE(story.after().maybe("own.errors").has_value());  // there is none to count
  EXPECT_EQ(story.before().summary().launch_count, 0);
  EXPECT_EQ(story.before().summary().gpu_op_count, 0);
  EXPECT_EQ(story.before().syncs(), 0);
  EXPECT_EQ(story.after().summary().launch_count, 16 * 100);
  // Dispatch of the first layer, and 30 us for the error.
  const SideRun teaching(story.data(), experiment::Side::Before,
                         {.device = "sim:teaching", .iterations = 100, .assignments = {"dispatch_us=10"}});
  EXPECT_NEAR(teaching["iteration_us"], 40 + 10 / 100.0, 0.01);  // and once the program's last synchronisation
}

// Sixteen launches of 20 us: 320. The hook is a launch and an item() of 30 on a GPU that has caught up: the mean has
// been computed when the wait begins. The first of a hundred also makes the pinned scratch, 100 us. On the laptop the
// launches take longer, and so does the wait.
TEST(SmallReads, S4AHookThatReadsIsSkippedByForward) {
  const Story story("S4-call-and-forward", 100, "sim:teaching", {"dispatch_us=10"});
  EXPECT_EQ(story.before().syncs(), 100);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_DOUBLE_EQ(story.before()["own.hook_calls"], 1);
  EXPECT_DOUBLE_EQ(story.after()["own.hook_calls"], 0);
  // Elapsed time: the last synchronisation waits for the last kernels and the wake-up, 120 us once.
  EXPECT_NEAR(story.before()["iteration_us"], 320 + 20 + 30 + (100 + 120) / 100.0, 0.1);
  EXPECT_NEAR(story.after()["iteration_us"], 320 + 120 / 100.0, 0.5);
  EXPECT_EQ(story.before().summary().launch_count, 17 * 100);
  EXPECT_GT(Story("S4-call-and-forward", 100).gain(), 1.1);
}

}  // namespace
}  // namespace lanescope::proof
