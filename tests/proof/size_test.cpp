// When the GPU is worth it: P04 to P06.
#include <gtest/gtest.h>

#include "experiment/sweep.h"
#include "proof/story.h"

namespace lanescope::proof {
namespace {

// With few samples in small batches the CPU wins, with many in large ones the GPU.
TEST(Size, P04TheLinesCross) {
  const Story story("P04", 50);
  const auto speedup = [&](const char* cpu, const char* gpu) {
    return story.compared(cpu).ours.value_or(0) / story.compared(gpu).ours.value_or(1);
  };
  EXPECT_LT(speedup("cpu_1000", "gpu_1000"), 0.9);
  EXPECT_GT(speedup("cpu_10000", "gpu_10000"), 1.1);
  EXPECT_GT(speedup("cpu_100000", "gpu_100000"), 3);
}

// The time of an iteration does not depend on how many there are; the speedup depends on the batch.
TEST(Size, P05TheMapIsFlatOverTheIterations) {
  const experiment::Experiment& data = experiment::experiment_named("P05");
  experiment::SweepSpec spec = experiment::ready_sweep(data);
  ASSERT_EQ(spec.axes.size(), 2u);
  EXPECT_EQ(spec.points(), 12u);
  spec.axes[0].values = {"20", "60"};
  spec.axes[1].values = {"128", "2048"};
  experiment::Sweep sweep(spec);
  sweep.start();
  sweep.wait();
  const auto points = sweep.points();
  ASSERT_EQ(points.size(), 4u);
  const auto value = [&](std::size_t i) { return points[i].value.value_or(0); };
  EXPECT_NEAR(value(0), value(2), 0.05 * value(0));
  EXPECT_NEAR(value(1), value(3), 0.05 * value(1));
  EXPECT_GT(value(1), 3 * value(0));
}

TEST(Size, P06ALargerBatchKeepsTheGpuBusy) {
  const Story story("P06", 50);
  EXPECT_LT(story.before()["gpu_busy_percent"], 45);
  EXPECT_GT(story.after()["gpu_busy_percent"], 70);
}

}  // namespace
}  // namespace lanescope::proof
