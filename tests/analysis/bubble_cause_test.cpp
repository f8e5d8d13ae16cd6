// One hand-made trace per cause of a bubble, and similar ones with a different cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/live_analysis.h"
#include "trace_builder.h"

namespace lanescope::analysis_test {
namespace {

using analysis::Bubble;
using analysis::BubbleCause;

class BubbleCauseTest : public ::testing::Test {
 protected:
  trace::Trace trace;
  TraceBuilder t{trace};

  /// All bubbles. A first kernel starts with the trace, so that the first bubble is between two operations.
  std::vector<Bubble> bubbles() {
    t.publish();
    analysis::LiveAnalysis live(trace);
    live.finish();
    return {live.bubbles().begin(), live.bubbles().end()};
  }
  Bubble only() {
    const std::vector<Bubble> all = bubbles();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Bubble{} : all.front();
  }
  std::string call_of(const Bubble& b) { return std::string(trace.names().text(b.call)); }
};

void expect_parts(const Bubble& b, Nanoseconds wake, Nanoseconds cpu, Nanoseconds launch) {
  EXPECT_EQ(b.wake_ns, wake);
  EXPECT_EQ(b.cpu_ns, cpu);
  EXPECT_EQ(b.launch_ns, launch);
  EXPECT_EQ(b.wake_ns + b.cpu_ns + b.launch_ns, b.duration());
}

// The sync [20,110) covers 100 and is back at 110; the launch begins at 150, the kernel at 160.
TEST_F(BubbleCauseTest, AfterSync) {
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(b.start_ns, 100);
  EXPECT_EQ(b.end_ns, 160);
  expect_parts(b, 10, 40, 10);
  EXPECT_EQ(call_of(b), "cudaStreamSynchronize");
  EXPECT_EQ(b.call_start_ns, 20);
  EXPECT_EQ(b.last_work, LaneKind::Kernels);
}

// The sync is back at 110; the next 80 of the 100 until the launch at 200 the CPU pins memory: without it the launch
// would have come soon after the sync. 40 of them do not make the difference.
TEST_F(BubbleCauseTest, PinningAfterASyncIsPinning) {
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  trace::set_range_kind(t.add(t.lane(LaneKind::Phases, 0, "phase"), trace::EventKind::Range, "pin_memory()", 115, 195),
                        trace::RangeKind::Pin);
  t.launch(200, 205, 2);
  t.kernel(210, 300, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Pinning);
  EXPECT_EQ(call_of(b), "pin_memory()");
  expect_parts(b, 95, 5, 10);
}

TEST_F(BubbleCauseTest, ALittlePinningAfterASyncIsNot) {
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.call("cudaHostAlloc", 120, 160);
  t.launch(200, 205, 2);
  t.kernel(210, 300, 2);
  EXPECT_EQ(only().cause, BubbleCause::AfterSync);
}

TEST_F(BubbleCauseTest, AllocatingAfterASyncIsAllocation) {
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.call("cudaMalloc", 120, 195);
  t.launch(200, 205, 2);
  t.kernel(210, 300, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Allocation);
  EXPECT_EQ(call_of(b), "cudaMalloc");
}

TEST_F(BubbleCauseTest, AfterSyncAtTheVeryEndOfTheWait) {  // it returns in no time, exactly when the kernel ends
  t.kernel(0, 100);
  t.sync(20, 100, 5, 0);
  t.launch(100, 105, 2);
  t.kernel(130, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  expect_parts(b, 0, 0, 30);
}

TEST_F(BubbleCauseTest, AfterSyncWithoutAKnownLaunch) {  // launch part unknown: all of it counts as CPU time
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.kernel(160, 200);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  expect_parts(b, 10, 50, 0);
}

TEST_F(BubbleCauseTest, AfterABlockingReadTheCopyIsWhatDrained) {
  t.kernel(0, 100);
  t.download(100, 120, 4, 9);
  Event& read = t.copy_call(10, 130, 9);
  read.flags |= trace::kSyncFlag;
  trace::set_parts(read, {5, 0, 20, 10});
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(b.last_work, LaneKind::CopyD2H);
  expect_parts(b, 10, 20, 10);
  EXPECT_EQ(call_of(b), "cudaMemcpyAsync");
}

TEST_F(BubbleCauseTest, AReadThatTakesNoTimeIsWhatDrainedToo) {
  t.kernel(0, 100);
  t.copy_call(10, 15, 9);
  t.download(100, 100, 4, 9);
  t.sync(15, 110, 5, 10);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(b.start_ns, 100);
  EXPECT_EQ(b.last_work, LaneKind::CopyD2H);
}

// Of two syncs that cover the end, the one on the launching thread is the cause, although the other returns later.
TEST_F(BubbleCauseTest, TheSyncOfTheLaunchingThreadGoesFirst) {
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10, 1);
  t.sync(20, 140, 5, 40, 2);
  t.launch(150, 155, 2, 1);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(b.call_lane, t.lane(LaneKind::Calls, 1));
  expect_parts(b, 10, 40, 10);
}

// The launch had begun on another thread before the sync returned: the sync delayed nothing.
TEST_F(BubbleCauseTest, NotAfterASyncThatTheLaunchDidNotWaitFor) {
  t.kernel(0, 100);
  t.sync(20, 150, 5, 50, 1);
  t.launch(120, 125, 2, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::LaunchLatency);
  expect_parts(b, 0, 20, 40);
}

// The sync came after the GPU had run dry: it drained nothing.
TEST_F(BubbleCauseTest, NotAfterASyncOnAnEmptyQueue) {
  t.kernel(0, 100);
  t.sync(105, 112, 5, 2);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  EXPECT_EQ(only().cause, BubbleCause::Cpu);
}

// The sync ended long before the GPU ran dry (it waited for another stream).
TEST_F(BubbleCauseTest, NotAfterASyncThatWasBackBefore) {
  t.kernel(0, 100);
  t.sync(20, 99, 5, 2);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  EXPECT_EQ(only().cause, BubbleCause::Cpu);
}

// A call that blocks without being a synchronisation: a launch into a full queue.
TEST_F(BubbleCauseTest, NotAfterALaunchThatBlocked) {
  t.kernel(0, 100);
  Event& full = t.launch(20, 110, 7);
  trace::set_parts(full, {5, 80, 0, 5});
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  EXPECT_EQ(only().cause, BubbleCause::Cpu);
}

TEST_F(BubbleCauseTest, CpuWorkBeforeTheLaunch) {
  t.kernel(0, 100);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Cpu);
  expect_parts(b, 0, 50, 10);
  EXPECT_EQ(call_of(b), "cudaLaunchKernel");
  EXPECT_EQ(b.call_start_ns, 150);
}

TEST_F(BubbleCauseTest, LaunchedInTimeAndStartedLateIsLaunchOnly) {
  t.kernel(0, 100);
  t.launch(50, 55, 2);
  t.kernel(103, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::LaunchLatency);
  expect_parts(b, 0, 0, 3);
}

TEST_F(BubbleCauseTest, TheSecondKernelOfAGraphHasTheGraphsLaunch) {
  t.launch(0, 2, 5).name = trace.names().intern("cudaGraphLaunch");
  t.kernel(0, 100, 5);
  t.kernel(110, 120, 5);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::GraphGap);
  EXPECT_EQ(call_of(b), "cudaGraphLaunch");
  expect_parts(b, 0, 0, 10);
}

TEST_F(BubbleCauseTest, WithoutAKnownLaunchNoCallIsBlamed) {
  t.kernel(0, 100);
  t.kernel(160, 200, 77);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Unknown) << "nobody knows what the CPU did";
  EXPECT_EQ(b.call, base::NameTable::kEmpty);
  EXPECT_EQ(b.wake_ns + b.cpu_ns + b.launch_ns, 0);
}

// Pitfall: item() at the end of a launch-bound iteration. The GPU runs dry before each launch; only the one gap after
// the read is caused by the read.
//   kernels [0,10) [50,60) [100,110), read issued at 140, copy [150,152), sync [145,157), next launch 180, kernel 190
TEST_F(BubbleCauseTest, LaunchBoundIsNotBlamedOnItem) {
  t.kernel(0, 10, 1);
  t.launch(40, 45, 2);
  t.kernel(50, 60, 2);
  t.launch(90, 95, 3);
  t.kernel(100, 110, 3);
  t.copy_call(140, 144, 4);
  t.download(150, 152, 4, 4);
  t.sync(145, 157, 1, 5);
  t.launch(180, 185, 5);
  t.kernel(190, 200, 5);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].cause, BubbleCause::Cpu);
  EXPECT_EQ(all[1].cause, BubbleCause::Cpu);
  EXPECT_EQ(all[2].cause, BubbleCause::Cpu);  // before the read's own copy
  EXPECT_EQ(all[3].cause, BubbleCause::AfterSync);
  EXPECT_EQ(all[3].duration(), 38);
}

// The CPU stages a pageable batch over [105,155) of the gap [100,160), and its own copy closes the gap.
TEST_F(BubbleCauseTest, CopyThatIsItselfTheLateLaunch) {
  t.kernel(0, 100);
  t.staging_copy(105, 155, 2);
  t.upload(160, 200, 1000, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Staging);
  expect_parts(b, 0, 5, 55);
  EXPECT_EQ(call_of(b), "cudaMemcpyAsync");
}

// Pinning takes [110,150) of the gap [100,160): 40 of 60; the launch follows at 152.
TEST_F(BubbleCauseTest, PinningThatCoversMostOfTheGap) {
  t.kernel(0, 100);
  t.call("cudaHostAlloc", 110, 150);
  t.launch(152, 154, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Pinning);
  expect_parts(b, 50, 2, 8);
  EXPECT_EQ(call_of(b), "cudaHostAlloc");
}

TEST_F(BubbleCauseTest, HoldsCoverTogetherAndTheKindThatCoversMostIsNamed) {  // [90,115) and [120,140): 15 + 20 of 60
  t.kernel(0, 100);
  t.staging_copy(90, 115, 8);
  t.call("cudaMallocHost", 120, 140);
  t.launch(152, 154, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Pinning);
  EXPECT_EQ(call_of(b), "cudaMallocHost");
  expect_parts(b, 40, 12, 8);
}

// Three allocations of 10 each cover more of the gap than a copy that stages for 12; the longest allocation is named.
TEST_F(BubbleCauseTest, ManyShortAllocationsWinOverOneLongerCopy) {
  t.kernel(0, 100);
  t.call("cudaMalloc", 101, 111);
  t.call("cudaFree", 112, 123);
  t.call("cudaMalloc", 124, 134);
  t.staging_copy(135, 147, 8);
  t.launch(150, 152, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::Allocation);
  EXPECT_EQ(call_of(b), "cudaFree");
  expect_parts(b, 23, 27, 10);
}

TEST_F(BubbleCauseTest, AnOrderToAllocateOnAStreamHoldsNobody) {
  t.kernel(0, 100);
  t.call("cudaMallocAsync", 101, 150);
  t.launch(152, 154, 2);
  t.kernel(160, 200, 2);
  EXPECT_EQ(only().cause, BubbleCause::Cpu);
}

// The kernel was launched long before, and waits for the copy on stream 1: 6 pass from the copy's end to its start.
TEST_F(BubbleCauseTest, BehindACopyOnAnotherStream) {
  t.launch(0, 5, 1);
  t.kernel(10, 60, 1);
  t.copy_call(5, 10, 2);
  t.upload(20, 100, 1000, 2, 1);
  t.launch(15, 20, 3);
  t.kernel(106, 200, 3);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);  // the first is before the first kernel
  EXPECT_EQ(all[1].cause, BubbleCause::Dependency);
  EXPECT_EQ(call_of(all[1]), "cudaLaunchKernel");
  expect_parts(all[1], 0, 0, 6);
}

// The same with the copy on the kernel's own stream, where order alone makes it wait; and with a launch still in
// progress when the copy ended.
TEST_F(BubbleCauseTest, NotBehindACopyOnItsOwnStreamNorWithALaunchUnderWay) {
  t.kernel(0, 10);
  t.copy_call(0, 5, 2);
  t.upload(10, 100, 1000, 2);
  t.launch(15, 20, 3);
  t.kernel(106, 200, 3);
  t.copy_call(120, 125, 4);
  t.upload(150, 300, 1000, 4, 1);
  t.launch(295, 301, 5);
  t.kernel(305, 310, 5);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cause, BubbleCause::LaunchLatency);
  EXPECT_EQ(all[1].cause, BubbleCause::LaunchLatency);
}

// Half of the gap [100,160) passes before the launch at 130; with the launch at 131 it is more than half.
TEST_F(BubbleCauseTest, MoreThanHalfBeforeTheLaunchIsTheCpus) {
  t.kernel(0, 100);
  t.launch(130, 135, 2);
  t.kernel(160, 200, 2);
  t.launch(231, 235, 3);
  t.kernel(260, 300, 3);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cause, BubbleCause::LaunchLatency);
  EXPECT_EQ(all[1].cause, BubbleCause::Cpu);
}

// The innermost range around the call that drained the queue, even if both begin together.
TEST_F(BubbleCauseTest, ASyncKnowsTheRangeThatItIsMadeIn) {
  const LaneId phases = t.lane(LaneKind::Phases, 0, "phase");
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.add(phases, EventKind::Range, "training", 0, 200);
  t.add(phases, EventKind::Range, "item()", 20, 111);
  t.add(t.lane(LaneKind::Phases, 0, "stopwatch"), EventKind::Range, "stopwatch", 20, 112);
  t.launch(150, 155, 2);
  t.kernel(160, 200, 2);
  const Bubble b = only();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(trace.names().text(b.range), "item()");
}

TEST_F(BubbleCauseTest, HalfOfTheGapIsNotMoreThanHalf) {
  t.kernel(0, 100);
  t.call("cudaHostAlloc", 110, 140);
  t.launch(152, 154, 2);
  t.kernel(160, 200, 2);
  EXPECT_EQ(only().cause, BubbleCause::Cpu);
}

TEST_F(BubbleCauseTest, ACopyThatReturnsAtOnceHoldsNobody) {
  t.kernel(0, 100);
  t.copy_call(105, 155, 2);  // 50 long, but it does not block
  t.upload(160, 200, 1000, 2);
  EXPECT_EQ(only().cause, BubbleCause::LaunchLatency);
}

TEST_F(BubbleCauseTest, NothingBeforeTheFirstAndAfterTheLastHasACause) {
  t.call("cudaMalloc", 0, 20);
  t.kernel(50, 100);
  t.sync(60, 120, 5, 20);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  for (const Bubble& b : all) {
    EXPECT_EQ(b.cause, BubbleCause::StartOrEnd);
    EXPECT_EQ(b.wake_ns + b.cpu_ns + b.launch_ns, 0);
  }
  EXPECT_EQ(all[0].duration(), 50);
  EXPECT_EQ(all[1].duration(), 20);
}

TEST_F(BubbleCauseTest, WorkThatTouchesLeavesNoGap) {
  t.kernel(0, 100);
  t.download(100, 110, 4);
  t.kernel(110, 120, 0, 1);
  EXPECT_TRUE(bubbles().empty());
}

// One stream is idle over [100,160), but another works on: no gap at all until 150.
TEST_F(BubbleCauseTest, AGapIsOneOfAllStreams) {
  t.kernel(0, 100, 0, 0);
  t.kernel(50, 150, 0, 1);
  t.sync(20, 110, 5, 10);
  t.launch(150, 152, 2);
  t.kernel(160, 200, 2, 0);
  const Bubble b = only();
  EXPECT_EQ(b.start_ns, 150);
  EXPECT_EQ(b.cause, BubbleCause::LaunchLatency);
}

// The call is back at 20, and its kernel starts 100,000 later: no launch takes longer than that. One more, and the GPU
// had it and did not start it. The gaps begin at 100.
TEST_F(BubbleCauseTest, ALaunchThatWasBackLongBeforeIsNotWaitedFor) {
  t.kernel(0, 100);
  t.launch(15, 20, 2);
  t.kernel(100'020, 200'000, 2);
  t.launch(150'000, 150'020, 3);
  t.kernel(250'021, 250'100, 3);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cause, BubbleCause::LaunchLatency);
  EXPECT_EQ(all[1].cause, BubbleCause::GpuWait);
  EXPECT_EQ(call_of(all[1]), "cudaLaunchKernel");
  expect_parts(all[1], 0, 0, 50'021);
  EXPECT_EQ(analysis::group_of(all[1].cause), analysis::CauseGroup::Graph) << "never launch-bound";
}

// The gap [100,400100) begins 200,000 before the launch, and its kernel starts 200,000 after it: half is not more than
// half. From 200,001 before on it is the CPU's, whatever the GPU did then.
TEST_F(BubbleCauseTest, WhatTheCpuDidBeforeTheLaunchGoesFirst) {
  t.kernel(0, 100);
  t.launch(200'100, 200'110, 2);
  t.kernel(400'100, 400'200, 2);
  t.launch(600'201, 600'210, 3);
  t.kernel(800'201, 800'300, 3);
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cause, BubbleCause::GpuWait);
  EXPECT_EQ(all[1].cause, BubbleCause::Cpu);
}

}  // namespace
}  // namespace lanescope::analysis_test
