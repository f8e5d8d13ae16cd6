// Waits for other threads of the program: when they cause a bubble, their totals, and a run without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::analyse;
using analysis::LiveAnalysis;
using analysis::Summary;
using analysis::VerdictKind;

using LoaderTest = GapTest;

// The GPU is idle from 100 on; the program waits in [80,148) and launches at 150: what is left, 12 of 60, is the CPU's
// and the launch's, and half of it or more has passed with the launch.
TEST_F(LoaderTest, AWaitBeforeALateLaunch) {
  t.host_wait(80, 148);
  t.kernel(0, 100);
  t.kernel({150, 155}, {160, 200});
  EXPECT_EQ(parts(), "waiting for data 48, launch latency 12");
  const Bubble b = bubbles()[0];
  expect(b, BubbleCause::Loader, 48, 0, 0, "next(loader)");
  EXPECT_EQ(b.call_start_ns, 80);
  EXPECT_EQ(b.call_lane, t.lane(LaneKind::Phases, 0, "waiting"));
}

TEST_F(LoaderTest, AShortWaitHasItsPart) {
  t.host_wait(105, 130);  // what is before it, 5, and after it, 20 and the launch's 10, is the CPU's: 25 of 35
  EXPECT_EQ(gap_parts(), "CPU work 5, waiting for data 25, CPU work 30");
}

TEST_F(LoaderTest, ALittleWaitGoesToWhatIsBeside) {  // 5 of 60
  t.host_wait(105, 110);
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
}

TEST_F(LoaderTest, ShortWaitsAddUp) {  // 12 + 16
  t.host_wait(102, 114);
  t.host_wait(120, 136);
  EXPECT_EQ(gap_parts(), "CPU work 2, waiting for data 12, CPU work 6, waiting for data 16, CPU work 24");
}

// Eight waits of 4, each followed by 2 of work; then 2 of work, and a launch of 10: 32 and 28 of 60, in eighteen parts.
TEST_F(LoaderTest, OfManyPartsTheSumsAreKept) {
  for (Nanoseconds at = 100; at < 148; at += 6) t.host_wait(at, at + 4);
  EXPECT_EQ(gap_parts(), "waiting for data 32, CPU work 28");
}

// The loss is read, and the sync returns at 110; then the next batch is late until 145.
TEST_F(LoaderTest, HasItsPartAfterASync) {
  t.sync(20, 110, 5, 10);
  t.host_wait(110, 145);
  EXPECT_EQ(gap_parts(), "after a sync 10, waiting for data 35, after a sync 15");
  EXPECT_EQ(bubbles()[1].wake_ns, 35);
  EXPECT_EQ(bubbles()[2].cpu_ns, 5);
  EXPECT_EQ(bubbles()[2].launch_ns, 10);
}

TEST_F(LoaderTest, AWaitThatTheGpuWorkedThroughCostsNothing) {  // launched in time, started late
  t.host_wait(10, 90);
  expect(gap({95, 98}, {103, 200}), BubbleCause::LaunchLatency, 0, 0, 3);
}

// The batch arrives at 140; its pageable copy is the late launch and stages from 142 on.
TEST_F(LoaderTest, AndTheCopyOfTheBatchHasItsPart) {
  t.kernel(0, 100);
  t.host_wait(100, 140);
  t.staging_copy(142, 155, 2);
  t.upload(160, 200, 1000, 2);
  EXPECT_EQ(parts(), "waiting for data 42, staging a copy 18");
}

TEST_F(LoaderTest, OnlyTheLaunchingThreadsWaitsCount) {
  t.host_wait(100, 150, 7);
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
}

// A thread of the program's own copies the batches, at 150, while the one that trains waits for one.
TEST_F(LoaderTest, AndOfTheThreadThatIsFedByTheLaunchingOne) {
  t.kernel(0, 100);
  t.host_wait(100, 158);
  t.upload({150, 155}, {160, 200}, 1000, 2, 7);
  EXPECT_EQ(parts(), "waiting for data 50, launch latency 10");
}

// The pin thread allocates throughout; the program's own thread was late for another reason.
TEST_F(LoaderTest, APinThreadThatAllocatesHoldsNobodyElse) {
  t.call("cudaHostAlloc", 90, 158, 0, 7);
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
}

TEST_F(LoaderTest, WithoutAKnownLaunchAnyThreadsWaitsCount) {
  t.kernel(0, 100);
  t.host_wait(100, 150, 7);
  t.kernel(160, 200, 77);
  EXPECT_EQ(parts(), "waiting for data 50, launch not recorded 10");
}

TEST_F(LoaderTest, RangesWithoutTheFlagAndRangesOfTheGpuAreNoWaits) {
  t.range("forward", 100, 150);
  t.add(t.lane(LaneKind::GpuRanges), EventKind::Range, "step", 100, 150).flags = trace::kWaitFlag;
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
  EXPECT_EQ(analyse(trace, 0, 200).loader_wait_ns, 0);
}

// Two threads, one of them on two lanes that overlap: [10,40) and [30,60) are 50, [20,45) are 25; of these the window
// [25,50) has 25 and 20.
TEST_F(LoaderTest, WaitsAddUpPerThreadAndAreCutToTheWindow) {
  t.kernel(0, 100);
  t.host_wait(10, 40, 1);
  t.range("wait", 30, 60, 1, "more").flags = trace::kWaitFlag;
  t.host_wait(20, 45, 2);
  t.publish();
  EXPECT_EQ(analyse(trace, 0, 100).loader_wait_ns, 75);
  EXPECT_EQ(analyse(trace, 25, 50).loader_wait_ns, 45);
  EXPECT_EQ(analyse(trace, 0, 100).host_wait_ns, 0);
}

// A range is written when it ends: the live edge passes the wait before the wait is known.
TEST_F(LoaderTest, AWaitThatIsWrittenWhenTheEdgeHasPassedItsStart) {
  LiveAnalysis live(trace);
  t.kernel(0, 100);
  t.kernel(110, 130, 0, 1);  // of another stream, issued long before
  t.publish_until(120);
  live.update(120);
  t.host_wait(105, 190);
  t.kernel({195, 198}, {200, 300});
  t.iteration(0, 320);
  t.publish();
  live.finish();
  ASSERT_EQ(live.bubbles().size(), 4u);  // and the one after the last kernel
  EXPECT_EQ(live.bubbles()[1].cause, BubbleCause::Loader);
  EXPECT_EQ(live.bubbles()[1].wake_ns, 60);
  EXPECT_EQ(live.bubbles()[2].cause, BubbleCause::LaunchLatency);
  EXPECT_EQ(live.total().loader_wait_ns, 85);
  EXPECT_EQ(live.records().back().loader_wait_ns, 85);
}

// Iterations of 100, of which the GPU works for 30; of its gap of 70 the wait for the batch takes 65. The other 5 are
// less than a tenth, so that all is the loader's.
TEST_F(LoaderTest, ALoopThatWaitsForItsBatchesIsLoaderBound) {
  for (int i = 0; i < 4; ++i) {
    const Nanoseconds start = i * 100;
    t.iteration(start, start + 100);
    t.host_wait(start, start + 65);
    t.kernel({start + 66, start + 68}, {start + 70, start + 100});
  }
  t.publish();
  const Summary s = analyse(trace, 0, 400);
  EXPECT_EQ(s.verdict.kind, VerdictKind::LoaderBound);
  EXPECT_EQ(s.loader_wait_ns, 260);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::Loader), 210);  // the first has no known cause
  const Finished live(trace);
  const Summary later = live.window(100, 400);
  EXPECT_EQ(later.loader_wait_ns, 195);
  EXPECT_EQ(later.verdict.sentence, "The GPU idles 70 % of the time while the program waits for its data loader.");
}

TEST_F(LoaderTest, OnTheCpuAloneTheVerdictSaysSo) {
  for (int i = 0; i < 3; ++i) {
    t.iteration(i * 100, i * 100 + 100);
    t.range("linear_forward", i * 100 + 10, i * 100 + 90, 0, "CPU ops");
  }
  t.publish();
  const Finished live(trace);
  for (const Summary& s : {analyse(trace, 0, 300), live.total(), live.since_first_iteration(), live.window(100, 300)}) {
    EXPECT_EQ(s.verdict.kind, VerdictKind::CpuOnly) << s.verdict.sentence;
    EXPECT_EQ(s.cpu_op_count, s.iteration.count);
  }
  EXPECT_EQ(analyse(trace, 20, 80).verdict.kind, VerdictKind::Unknown);  // no whole iteration
}

}  // namespace
}  // namespace lanescope::analysis_test
