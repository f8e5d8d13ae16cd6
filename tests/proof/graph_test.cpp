// G1: the same training step call by call and as a CUDA graph.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

// In round numbers: 16 operations of 10 us of dispatch and a launch of 10 us are 320 us. The graph has one of each, 20
// us, and its 16 kernels of 10 us and their work (below 0.1 us each) take 160 us, so the GPU sets the pace. Warm-up and
// capture are spread over 3,000 iterations.
TEST(Graph, G1InRoundNumbers) {
  const Story story("G1", 3000, "sim:teaching", {"dispatch_us=10", "log_interval=0"});
  EXPECT_NEAR(story.before()["iteration_us"], 320, 0.1);
  EXPECT_NEAR(story.after()["iteration_us"], 161, 1);
  // 4 iterations are launched call by call: three to warm up, and one whose launches are captured.
  EXPECT_EQ(story.before().summary().launch_count, 3000 * 16);
  EXPECT_EQ(story.after().summary().launch_count, 4 * 16 + 2997);
}

// On the simulated RTX 4090: 16 * 12.5 us against 16 kernels of 3 us.
TEST(Graph, G1OneLaunchIsFourTimesAsFast) {
  const Story story("G1");
  EXPECT_NEAR(story.gain("iteration_us"), 4, 0.3);
}

// The hook reads in the step, so there is no graph: both sides make the same calls.
TEST(Graph, G1WithAReadInTheStepThereIsNone) {
  const Story story("G1", 40, {}, {"hook=reads"});
  EXPECT_EQ(story.before()["total_s"], story.after()["total_s"]);
  EXPECT_EQ(story.before().summary().launch_count, story.after().summary().launch_count);
}

}  // namespace
}  // namespace lanescope::proof
