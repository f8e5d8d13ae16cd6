// The link and the stopwatch: P07, P16 to P20, T1.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

using experiment::Quality;

TEST(Bandwidth, P07PinnedMemoryReachesTheLink) {
  // The card that S0 names has PCIe 5.0, so it is past the tutorial's 16 to 32 GB/s, and below the 63 of the box.
  const Story story("P07", 5);
  EXPECT_NEAR(story.before()["h2d_gb_per_s"], 15.2, 0.3) << "as beside an H200";
  EXPECT_NEAR(story.after()["h2d_gb_per_s"], 56.3, 1.2);
  EXPECT_GT(story.compared("pcie_high").ratio.value_or(0), 1.5);
  EXPECT_FALSE(story.compared("vram_size").ours);
  // S3 measured on eight lanes of PCIe 4.0, so its rates are below the specification.
  const Story measured("P07", 5, "sim:rtx4090");
  EXPECT_NEAR(measured.before()["h2d_gb_per_s"], 5.96, 0.3);
  EXPECT_NEAR(measured.after()["h2d_gb_per_s"], 13.45, 0.3);
  EXPECT_LT(measured.compared("pcie_low").ratio.value_or(2), 1);
}

// NVIDIA's sample on an RTX 4090: a measurement on a named machine.
TEST(Bandwidth, P20AsMeasuredOnAnRtx4090) {
  const Story story("P20", 5);
  for (const char* name : {"h2d_pageable", "h2d_pinned", "d2h_pageable", "d2h_pinned", "h2d_gain", "d2h_gain"}) {
    const experiment::Compared c = story.compared(name);
    EXPECT_EQ(c.published->quality, Quality::Measured) << name;
    EXPECT_NEAR(c.ratio.value_or(0), 1, 0.1) << name;
  }
}

// 1.6 GB at 5.959 GB/s are 268 ms. The published 384 ms include more than the copy.
TEST(Bandwidth, P16TheCopyAloneIsShorterThanWasPublished) {
  const Story story("P16", 2);
  EXPECT_NEAR(story.before()["own.stopwatch_ms"], 268.5, 15);
  EXPECT_NEAR(story.after()["own.stopwatch_ms"], 118.9, 6);  // at 13.454 GB/s
  EXPECT_LT(story.compared("time").ratio.value_or(1), 0.8);
}

// Without a sync the stopwatch shows the time of the call: microseconds, while the copy takes 119 ms.
TEST(Bandwidth, P17TheStopwatchShowsTheEnqueueing) {
  const Story story("P17", 2);
  EXPECT_LT(story.before()["own.stopwatch_ms"], 0.05);
  EXPECT_GT(story.before()["h2d_ms"], 100);
  EXPECT_NEAR(story.after()["own.stopwatch_ms"], story.after()["h2d_ms"], 0.5);
  const experiment::Compared rate = story.compared("rate");
  EXPECT_EQ(rate.published->quality, Quality::Impossible);
  EXPECT_LT(rate.ratio.value_or(1), 0.005);  // 13.45 GB/s of "3,883"
}

// sim:teaching: 10 us of dispatch and 10 of the call; 1.6 GB at 10 GB/s are 160 ms.
TEST(Bandwidth, P17InRoundNumbers) {
  const Story story("P17", 2, "sim:teaching", {"dispatch_us=10"});
  EXPECT_DOUBLE_EQ(story.before()["own.stopwatch_ms"], 0.02);
  EXPECT_NEAR(story.before()["h2d_ms"], 160, 0.01);
  EXPECT_NEAR(story.after()["own.stopwatch_ms"], 160.1, 0.1);  // 100 us to wake up, and the calls
}

// 1.6 GB at 5.125 GB/s are 312 ms; the stopwatch of the notebook shows the kernel and the fresh pages, too.
TEST(Bandwidth, P18TheStopwatchHoldsMoreThanTheCopy) {
  const Story story("P18", 2);
  EXPECT_NEAR(story.after()["own.stopwatch_ms"], 312, 20);
  EXPECT_GT(story.before()["own.stopwatch_ms"], 1.2 * story.after()["own.stopwatch_ms"]);
  EXPECT_LT(story.before()["own.stopwatch_ms"], 731 * 1.1);
}

TEST(Bandwidth, P19PinnedMemoryAndASyncTellTheTruth) {
  const Story story("P19", 2);
  EXPECT_NEAR(story.after()["own.stopwatch_ms"], 119.7, 6);  // at 13.37 GB/s
  EXPECT_GT(story.gain("own.stopwatch_ms"), 2.5);
  EXPECT_LT(story.gain("own.stopwatch_ms"), 12);  // two different things were compared
}

TEST(Bandwidth, T1PinningForOneCopyCostsMoreThanItGains) {
  const Story story("T1", 10);
  EXPECT_GT(story.gain(), 1);
  EXPECT_GT(story.before()["h2d_gb_per_s"], 2 * story.after()["h2d_gb_per_s"]);  // though the copy itself is quicker
}

}  // namespace
}  // namespace lanescope::proof
