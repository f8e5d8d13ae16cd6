// Reading a number: P08 to P10, P14, S2-events, R1 to R3, T4, S0-plot.
#include <gtest/gtest.h>

#include "proof/story.h"

namespace lanescope::proof {
namespace {

// One sync per iteration against none; the cost of the read is the bubble after it.
TEST(Reading, P09AReadEachIterationIsOneWaitAndOneBubble) {
  const Story story("P09", 100);
  EXPECT_EQ(story.before().syncs(), 100);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_GT(story.before()["bubble_percent"], story.after()["bubble_percent"] + 15);
  EXPECT_GT(story.gain(), 1.2);
  // "2.6 ms per read" is not what a read costs: some tens of microseconds here.
  const double read_us = story.before().us_per_iteration() - story.after().us_per_iteration();
  EXPECT_GT(read_us, 20);
  EXPECT_LT(read_us, 100);
}

TEST(Reading, P10AReadEvery100IsNearlyFree) {
  const Story story("P10", 200);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_EQ(story.after().syncs(), 2);
  const SideRun none(story.data(), experiment::Side::After, 200, {"log_interval=0"});
  EXPECT_LT(story.after().us_per_iteration(), 1.02 * none.us_per_iteration());
  EXPECT_GT(story.gain(), 1.2);
}

// Two synchronisations around the model in every iteration against none.
TEST(Reading, P08WithoutSyncsTheCpuRunsAhead) {
  const Story story("P08", 100);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_EQ(story.after().syncs(), 0);
  EXPECT_GT(story.gain(), 1.2);
  EXPECT_GT(story.after().summary().run_ahead_mean, 1.5 * story.before().summary().run_ahead_mean);
}

// sim:teaching: model(data) is 10 us of dispatch and 10 us of launching: the naive stopwatch shows 20. The kernel of
// 2048 x 1000 x 1000 multiply-adds takes 10 + 4.096 GFLOP / 2.56 TFLOP/s = 1,610 us, starts 10 us after the launch, and
// the synchronisation is back 100 us after its end: 20 + 10 + 1,610 + 100 = 1,740.
TEST(Reading, P14TheNaiveStopwatchShowsTheLaunch) {
  const Story story("P14", 20, "sim:teaching", {"dispatch_us=10"});
  EXPECT_DOUBLE_EQ(story.before()["own.stopwatch_us"], 20);
  EXPECT_NEAR(story.after()["own.stopwatch_us"], 1740, 10);
}

// The same kernel by events: with its bias 4.096 + 0.002 GFLOP, 1,610.8 us. In the first iteration the GPU stands still
// between them for the 20 us of dispatching and launching, in the others it is still at the backward pass when they are
// recorded. Read at once there is no number. Neither a synchronisation before nor, when the events are asked for, one
// after them is needed; what the CPU is ahead by has not happened at the end, and is not read.
TEST(Reading, S2EventsTimeTheGpuAndCannotBeReadEarly) {
  const Story story("S2-events", 20, "sim:teaching", {"dispatch_us=10"});
  EXPECT_EQ(story.before().maybe("own.event_us"), std::nullopt);
  EXPECT_DOUBLE_EQ(story.before()["own.failed_reads_percent"], 100);
  EXPECT_EQ(story.before().syncs(), 0);
  EXPECT_NEAR(story.after()["own.event_us"], 1610.8 + 20.0 / 20, 0.001);
  EXPECT_DOUBLE_EQ(story.after()["own.failed_reads_percent"], 0);
  EXPECT_EQ(story.after().syncs(), 20);
  const auto timed = [&](const char* timing) {
    const experiment::RunChoice choice{"sim:teaching", 20, {"dispatch_us=10", timing}};
    return SideRun(story.data(), experiment::Side::After, choice);
  };
  EXPECT_DOUBLE_EQ(timed("timing=naive")["own.stopwatch_us"], 20);
  EXPECT_NEAR(timed("timing=synchronized")["own.stopwatch_us"], 1740, 10);
  const SideRun polled = timed("timing=events-polled");
  EXPECT_GE(polled["own.event_us"], 1610.8 + 20.0 / 20);
  EXPECT_LT(polled["own.event_us"], 1610.8 + 20.0 / 5);
  EXPECT_DOUBLE_EQ(polled["own.failed_reads_percent"], 0);
  EXPECT_EQ(polled.syncs(), 0);
  EXPECT_LT(polled["total_s"], story.after()["total_s"]);
}

// By PyTorch 2.11's source: masked_select, four comparisons of which the last is read twice, the format's width and the
// format itself.
TEST(Reading, R2PrintIsEightReads) {
  const Story story("R2", 50);
  EXPECT_EQ(story.before().syncs(), 8 * 50);
  EXPECT_EQ(story.after().syncs(), 50);
  EXPECT_GT(story.gain(), 1.2);
}

// A hundred losses: a hundred copies and waits, or one.
TEST(Reading, R3AListOfItemsIsNotOneTransfer) {
  const Story story("R3", 200);
  EXPECT_EQ(story.before().syncs(), 200);
  EXPECT_LE(story.after().syncs(), 2 * 2);  // the stacked copy is pageable: the copy and the wait behind it, per window
  EXPECT_GT(story.before()["own.read_us"], 10 * story.after()["own.read_us"]);
  EXPECT_GT(story.gain(), 1.2);
  EXPECT_EQ(story.before()["own.numbers_read"], story.after()["own.numbers_read"]);
  EXPECT_EQ(story.before()["own.reads_per_list"], 100);
  EXPECT_EQ(story.after()["own.reads_per_list"], 1);
}

TEST(Reading, R1OneStepLateTheGpuNeverWaits) {
  const Story story("R1", 100);
  EXPECT_GT(story.before()["bubble_percent"], 5);
  EXPECT_LT(story.after()["bubble_percent"], 2);
  EXPECT_GT(story.gain(), 1.05);
  EXPECT_DOUBLE_EQ(story.before()["own.reads_behind"], 0);
  EXPECT_DOUBLE_EQ(story.after()["own.reads_behind"], 1);
  EXPECT_DOUBLE_EQ(story.after()["own.wrong_numbers"], 0);
}

TEST(Reading, T4WithoutAnEventTheNumberIsWrong) {
  const Story story("T4", 50);
  EXPECT_DOUBLE_EQ(story.before()["own.wrong_arrays"], 1);
  EXPECT_DOUBLE_EQ(story.after()["own.wrong_arrays"], 0);
  // Waiting for the copy of a step before costs nothing to speak of: drawing takes the time.
  EXPECT_LT(story.after().us_per_iteration(), 1.1 * story.before().us_per_iteration());
}

// The link takes 4 MB in 0.3 ms at 13.37 GB/s; the CPU takes them out of the staging buffer in 0.78 ms at 5.125, and
// the link waits for it when the buffer is full. With the model, 0.5 ms, and the drawing, 2 ms, that is 3.3 ms and the
// first touch of new memory, against 0.5 ms and a fiftieth.
TEST(Reading, S0PlottingEachIterationStopsTheGpu) {
  const Story story("S0-plot", 50);
  EXPECT_GT(story.before()["d2h_ms"], 0.3);
  EXPECT_LT(story.before()["d2h_ms"], 0.78);
  EXPECT_GT(story.before()["own.transfer_ms"], 0.78 + 0.4);
  EXPECT_NEAR(story.before().us_per_iteration(), 3500, 200);
  EXPECT_GT(story.before()["bubble_percent"], 55);
  EXPECT_LT(story.after()["bubble_percent"], 15);
  EXPECT_GT(story.gain(), 5);
}

}  // namespace
}  // namespace lanescope::proof
