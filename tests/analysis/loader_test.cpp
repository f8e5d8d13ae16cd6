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

// The GPU is idle from 100 on; the program waits in [80,140) and launches at 150: 40 of the 50 of delay.
TEST_F(LoaderTest, AWaitBeforeALateLaunch) {
  t.host_wait(80, 140);
  const Bubble b = gap();
  expect(b, BubbleCause::Loader, 40, 10, 10, "next(loader)");
  EXPECT_EQ(b.call_start_ns, 80);
  EXPECT_EQ(b.call_lane, t.lane(LaneKind::Phases, 0, "waiting"));
}

TEST_F(LoaderTest, HalfOfTheTimeUntilTheLaunchIsNotTheGreaterPart) {  // 25 of 50; the launch part [150,160) is no one's
  t.host_wait(105, 130);
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
}

TEST_F(LoaderTest, ShortWaitsAddUpAndTheLongestIsNamed) {  // 12 + 16 of 50
  t.host_wait(102, 114);
  t.host_wait(120, 136);
  expect(gap(), BubbleCause::Loader, 36, 14, 10);
}

// The loss is read, and the sync returns at 110; then the next batch is late until 145: 35 of the 50 until the launch.
TEST_F(LoaderTest, WinsOverTheSyncBeforeIt) {
  t.sync(20, 110, 5, 10);
  t.host_wait(110, 145);
  expect(gap(), BubbleCause::Loader, 45, 5, 10);
}

// The same with a wait of 20: of the 50 of delay, 30 are due to the sync and the program.
TEST_F(LoaderTest, LosesToASyncThatTookLonger) {
  t.sync(20, 110, 5, 10);
  t.host_wait(112, 132);
  expect(gap(), BubbleCause::AfterSync, 10, 40, 10);
}

TEST_F(LoaderTest, AWaitThatTheGpuWorkedThroughCostsNothing) {  // launched in time, started late
  t.host_wait(10, 90);
  expect(gap({95, 98}, {103, 200}), BubbleCause::LaunchLatency, 0, 0, 3);
}

// The batch arrives at 140; its pageable copy is the late launch and stages over [142,155).
TEST_F(LoaderTest, WinsOverTheCopyOfTheBatchItWaitedFor) {
  t.kernel(0, 100);
  t.host_wait(100, 140);
  t.staging_copy(142, 155, 2);
  t.upload(160, 200, 1000, 2);
  expect(only(), BubbleCause::Loader, 40, 2, 18);
}

TEST_F(LoaderTest, LosesToACopyThatTookLonger) {  // a wait of 10, then 47 of staging
  t.kernel(0, 100);
  t.host_wait(100, 110);
  t.staging_copy(113, 155, 2);
  t.upload(160, 200, 1000, 2);
  expect(only(), BubbleCause::Staging, 0, 13, 47);
}

TEST_F(LoaderTest, OnlyTheLaunchingThreadsWaitsCount) {
  t.host_wait(100, 150, 7);
  expect(gap(), BubbleCause::Cpu, 0, 50, 10);
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
  expect(only(), BubbleCause::Loader, 50, 10, 0);
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
  ASSERT_EQ(live.bubbles().size(), 3u);  // and the one after the last kernel
  EXPECT_EQ(live.bubbles()[1].cause, BubbleCause::Loader);
  EXPECT_EQ(live.bubbles()[1].wake_ns, 60);
  EXPECT_EQ(live.total().loader_wait_ns, 85);
  EXPECT_EQ(live.records().back().loader_wait_ns, 85);
}

// Iterations of 100, of which the GPU works for 30; of the 62 until a launch the wait for the batch takes 60, so that
// the whole 70 are the loader's.
TEST_F(LoaderTest, ALoopThatWaitsForItsBatchesIsLoaderBound) {
  for (int i = 0; i < 4; ++i) {
    const Nanoseconds start = i * 100;
    t.iteration(start, start + 100);
    t.host_wait(start, start + 60);
    t.kernel({start + 62, start + 65}, {start + 70, start + 100});
  }
  t.publish();
  const Summary s = analyse(trace, 0, 400);
  EXPECT_EQ(s.verdict.kind, VerdictKind::LoaderBound);
  EXPECT_EQ(s.loader_wait_ns, 240);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::Loader), 210);  // the first has no known cause
  const Finished live(trace);
  const Summary later = live.window(100, 400);
  EXPECT_EQ(later.loader_wait_ns, 180);
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
