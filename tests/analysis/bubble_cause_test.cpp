// One hand-made trace per cause of a bubble, and similar ones with a different cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using testing::ElementsAre;

class BubbleCauseTest : public GapTest {
 protected:
  std::vector<BubbleCause> causes() {
    std::vector<BubbleCause> found;
    for (const Bubble& b : bubbles()) found.push_back(b.cause);
    return found;
  }
};

// The sync [20,110) covers 100 and is back at 110; the launch begins at 150, the kernel at 160.
TEST_F(BubbleCauseTest, AfterSync) {
  t.sync(20, 110, 5, 10);
  const Bubble b = gap();
  expect(b, BubbleCause::AfterSync, 10, 40, 10, "cudaStreamSynchronize");
  expect_span(b, 100, 160);
  EXPECT_EQ(b.call_start_ns, 20);
  EXPECT_EQ(b.last_work, LaneKind::Kernels);
}

// The sync takes 1.2 ms and returns 0.1 ms after the GPU ran dry; the program then works for 1.3 ms: more than 1 ms,
// and longer than the sync took. With 1.1 ms of work it is the sync.
TEST_F(BubbleCauseTest, LongWorkAfterAShorterSyncIsTheCpus) {
  t.kernel(0, 1'100'000);
  t.sync(0, 1'200'000, 1, 100'000);
  t.kernel({2'500'000, 2'505'000}, {2'510'000, 2'600'000});
  const Bubble b = only();
  expect(b, BubbleCause::Cpu, 100'000, 1'300'000, 10'000, "cudaLaunchKernel");
  EXPECT_TRUE(is_own_work(b));
}
TEST_F(BubbleCauseTest, WorkThatIsShorterThanTheSyncIsAfterIt) {
  t.kernel(0, 1'100'000);
  t.sync(0, 1'200'000, 1, 100'000);
  t.kernel({2'300'000, 2'305'000}, {2'310'000, 2'600'000});
  expect(only(), BubbleCause::AfterSync, 100'000, 1'100'000, 10'000, "cudaStreamSynchronize");
}

// The read takes 5 ms and is back 1.5 ms after the GPU ran dry; the program works for 16 ms, and then launches.
TEST_F(BubbleCauseTest, WorkThatFollowsASyncHasItsPart) {
  t.kernel(0, 4'500'000);
  t.sync(1'000'000, 6'500'000, 1, 2'000'000);
  t.kernel({16'000'000, 16'005'000}, {16'010'000, 17'000'000});
  EXPECT_EQ(parts(), "after a sync 2000000, CPU work 9510000");
}

// The sync is back at 110; then the CPU pins memory for 80 until the launch at 200.
TEST_F(BubbleCauseTest, PinningAfterASyncIsPinning) {
  t.sync(20, 110, 5, 10);
  trace::set_range_kind(t.range("pin_memory()", 115, 195), trace::RangeKind::Pin);
  EXPECT_EQ(gap_parts({200, 205}, {210, 300}), "after a sync 15, pinning memory 80, after a sync 15");
  EXPECT_EQ(call_of(bubbles()[1]), "pin_memory()");
}

TEST_F(BubbleCauseTest, AllocatingAfterASyncIsAllocation) {
  t.sync(20, 110, 5, 10);
  t.call("cudaMalloc", 120, 195);
  EXPECT_EQ(gap_parts({200, 205}, {210, 300}), "after a sync 20, allocating memory 75, after a sync 15");
  EXPECT_EQ(call_of(bubbles()[1]), "cudaMalloc");
}

TEST_F(BubbleCauseTest, AfterSyncAtTheVeryEndOfTheWait) {  // it returns in no time, exactly when the kernel ends
  t.sync(20, 100, 5, 0);
  expect(gap({100, 105}, {130, 200}), BubbleCause::AfterSync, 0, 0, 30);
}

TEST_F(BubbleCauseTest, AfterSyncWithoutAKnownLaunch) {  // launch part unknown: all of it counts as CPU time
  t.kernel(0, 100);
  t.sync(20, 110, 5, 10);
  t.kernel(160, 200);
  expect(only(), BubbleCause::AfterSync, 10, 50, 0);
}

TEST_F(BubbleCauseTest, AfterABlockingReadTheCopyIsWhatDrained) {
  Event& read = t.download({10, 130}, {100, 120}, 4);
  read.flags |= trace::kSyncFlag;
  trace::set_parts(read, {5, 0, 20, 10});
  const Bubble b = gap();
  expect(b, BubbleCause::AfterSync, 10, 20, 10, "cudaMemcpyAsync");
  EXPECT_EQ(b.last_work, LaneKind::CopyD2H);
}

TEST_F(BubbleCauseTest, AReadThatTakesNoTimeIsWhatDrainedToo) {
  t.download({10, 15}, {100, 100}, 4);
  t.sync(15, 110, 5, 10);
  const Bubble b = gap();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(b.start_ns, 100);
  EXPECT_EQ(b.last_work, LaneKind::CopyD2H);
}

// Of two syncs that cover the end, the one on the launching thread is the cause, although the other returns later.
TEST_F(BubbleCauseTest, TheSyncOfTheLaunchingThreadGoesFirst) {
  t.sync(20, 110, 5, 10, 1);
  t.sync(20, 140, 5, 40, 2);
  const Bubble b = gap({150, 155}, {160, 200}, 1);
  expect(b, BubbleCause::AfterSync, 10, 40, 10);
  EXPECT_EQ(b.call_lane, t.lane(LaneKind::Calls, 1));
}

// The launch had begun on another thread before the sync returned: the sync delayed nothing.
TEST_F(BubbleCauseTest, NotAfterASyncThatTheLaunchDidNotWaitFor) {
  t.sync(20, 150, 5, 50, 1);
  expect(gap({120, 125}, {160, 200}, 2), BubbleCause::LaunchLatency, 0, 20, 40);
}

// The sync came after the GPU had run dry: it drained nothing.
TEST_F(BubbleCauseTest, NotAfterASyncOnAnEmptyQueue) {
  t.sync(105, 112, 5, 2);
  EXPECT_EQ(gap().cause, BubbleCause::Cpu);
}

// The sync ended long before the GPU ran dry (it waited for another stream).
TEST_F(BubbleCauseTest, NotAfterASyncThatWasBackBefore) {
  t.sync(20, 99, 5, 2);
  EXPECT_EQ(gap().cause, BubbleCause::Cpu);
}

// A call that blocks without being a synchronisation: a launch into a full queue.
TEST_F(BubbleCauseTest, NotAfterALaunchThatBlocked) {
  trace::set_parts(t.launch(20, 110, 7), {5, 80, 0, 5});
  EXPECT_EQ(gap().cause, BubbleCause::Cpu);
}

TEST_F(BubbleCauseTest, CpuWorkBeforeTheLaunch) {
  const Bubble b = gap();
  expect(b, BubbleCause::Cpu, 0, 50, 10, "cudaLaunchKernel");
  EXPECT_EQ(b.call_start_ns, 150);
}

TEST_F(BubbleCauseTest, LaunchedInTimeAndStartedLateIsLaunchOnly) {
  expect(gap({50, 55}, {103, 200}), BubbleCause::LaunchLatency, 0, 0, 3);
}

TEST_F(BubbleCauseTest, TheSecondKernelOfAGraphHasTheGraphsLaunch) {
  t.graph({0, 2}, {{0, 100}, {110, 120}});
  expect(only(), BubbleCause::GraphGap, 0, 0, 10, "cudaGraphLaunch");
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
  t.kernel({40, 45}, {50, 60});
  t.kernel({90, 95}, {100, 110});
  t.download({140, 144}, {150, 152}, 4);
  t.sync(145, 157, 1, 5);
  t.kernel({180, 185}, {190, 200});
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
  expect(only(), BubbleCause::Staging, 0, 5, 55, "cudaMemcpyAsync");
}

// Pinning takes [110,150) of the gap [100,160); the launch follows at 152. Of the other 20, more than half have passed
// by then.
TEST_F(BubbleCauseTest, PinningHasItsPartOfTheGap) {
  t.call("cudaHostAlloc", 110, 150);
  EXPECT_EQ(gap_parts({152, 154}), "CPU work 10, pinning memory 40, CPU work 10");
  expect(bubbles()[1], BubbleCause::Pinning, 40, 0, 0, "cudaHostAlloc");
}

TEST_F(BubbleCauseTest, EachHoldHasItsPart) {  // [90,115) and [120,140)
  t.staging_copy(90, 115, 8);
  t.call("cudaMallocHost", 120, 140);
  EXPECT_EQ(gap_parts({152, 154}), "staging a copy 15, CPU work 5, pinning memory 20, CPU work 20");
}

// Pinning memory may allocate, and stage a copy: it goes first.
TEST_F(BubbleCauseTest, OfCallsWithinOneAnotherPinningGoesFirst) {
  trace::set_range_kind(t.range("pin_memory()", 110, 140), trace::RangeKind::Pin);
  t.call("cudaMalloc", 120, 150);
  EXPECT_EQ(gap_parts({152, 154}), "CPU work 10, pinning memory 30, allocating memory 10, CPU work 10");
}

TEST_F(BubbleCauseTest, ShortAllocationsAddUp) {  // 10 + 11 + 10, and a copy that stages for 12
  t.call("cudaMalloc", 100, 110);
  t.call("cudaFree", 110, 121);
  t.call("cudaMalloc", 121, 131);
  t.staging_copy(131, 143, 8);
  EXPECT_EQ(gap_parts({150, 152}), "allocating memory 31, staging a copy 12, launch latency 17");
  EXPECT_EQ(call_of(bubbles()[0]), "cudaFree") << "the longest";
}

TEST_F(BubbleCauseTest, AnOrderToAllocateOnAStreamHoldsNobody) {
  t.call("cudaMallocAsync", 101, 150);
  EXPECT_EQ(gap({152, 154}).cause, BubbleCause::Cpu);
}

// The kernel was launched long before, and waits for the copy on stream 1: 6 pass from the copy's end to its start.
TEST_F(BubbleCauseTest, BehindACopyOnAnotherStream) {
  t.kernel({0, 5}, {10, 60});
  t.upload({5, 10}, {20, 100}, 1000, 1);
  t.kernel({15, 20}, {106, 200});
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);  // the first is before the first kernel
  expect(all[1], BubbleCause::Dependency, 0, 0, 6, "cudaLaunchKernel");
}

// The same with the copy on the kernel's own stream, where order alone makes it wait; and with a launch still in
// progress when the copy ended.
TEST_F(BubbleCauseTest, NotBehindACopyOnItsOwnStreamNorWithALaunchUnderWay) {
  t.kernel(0, 10);
  t.upload({0, 5}, {10, 100}, 1000);
  t.kernel({15, 20}, {106, 200});
  t.upload({120, 125}, {150, 300}, 1000, 1);
  t.kernel({295, 301}, {305, 310});
  EXPECT_THAT(causes(), ElementsAre(BubbleCause::LaunchLatency, BubbleCause::LaunchLatency));
}

// Half of the gap [100,160) passes before the launch at 130; with the launch at 131 it is more than half.
TEST_F(BubbleCauseTest, MoreThanHalfBeforeTheLaunchIsTheCpus) {
  t.kernel(0, 100);
  t.kernel({130, 135}, {160, 200});
  t.kernel({231, 235}, {260, 300});
  EXPECT_THAT(causes(), ElementsAre(BubbleCause::LaunchLatency, BubbleCause::Cpu));
}

// The innermost range around the call that drained the queue, even if both begin together.
TEST_F(BubbleCauseTest, ASyncKnowsTheRangeThatItIsMadeIn) {
  t.sync(20, 110, 5, 10);
  t.range("training", 0, 200);
  t.range("item()", 20, 111);
  t.stopwatch(20, 112);
  const Bubble b = gap();
  EXPECT_EQ(b.cause, BubbleCause::AfterSync);
  EXPECT_EQ(trace.names().text(b.range), "item()");
}

TEST_F(BubbleCauseTest, ACopyThatReturnsAtOnceHoldsNobody) {
  t.kernel(0, 100);
  t.upload({105, 155}, {160, 200}, 1000);  // a call of 50, but it does not block
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
  t.kernel(50, 150, 0, 1);
  t.sync(20, 110, 5, 10);
  const Bubble b = gap({150, 152});
  EXPECT_EQ(b.start_ns, 150);
  EXPECT_EQ(b.cause, BubbleCause::LaunchLatency);
}

// The call is back at 20, and its kernel starts 100,000 later: no launch takes longer than that. One more, and the GPU
// had it and did not start it. The gaps begin at 100.
TEST_F(BubbleCauseTest, ALaunchThatWasBackLongBeforeIsNotWaitedFor) {
  t.kernel(0, 100);
  t.kernel({15, 20}, {100'020, 200'000});
  t.kernel({150'000, 150'020}, {250'021, 250'100});
  const std::vector<Bubble> all = bubbles();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].cause, BubbleCause::LaunchLatency);
  expect(all[1], BubbleCause::GpuWait, 0, 0, 50'021, "cudaLaunchKernel");
  EXPECT_EQ(analysis::group_of(all[1].cause), analysis::CauseGroup::Graph) << "never launch-bound";
}

// The main thread launches next, after it has waited for the thread of autograd, which launched what ran last and then
// freed memory. A third thread, that only frees memory, delays nobody.
TEST_F(BubbleCauseTest, WhatHoldsTheThreadThatLaunchedBeforeHoldsTheNext) {
  t.kernel({0, 0}, {0, 100}, 0, 1);
  t.call("cudaFree", 100, 800, 0, 1);
  t.call("cudaFree", 800, 1'400, 0, 2);
  t.kernel({1'500, 1'510}, {1'520, 1'600});
  EXPECT_THAT(causes(), ElementsAre(BubbleCause::Allocation, BubbleCause::Cpu));
  EXPECT_EQ(bubbles()[0].end_ns, 800);
}

// The call takes most of the gap [100,1000000), as one that loads code; what follows its return is the GPU's.
TEST_F(BubbleCauseTest, ALongLaunchIsNotTheGpusWait) {
  t.kernel(0, 100);
  t.kernel({100, 800'000}, {1'000'000, 1'000'100});
  EXPECT_THAT(causes(), ElementsAre(BubbleCause::LaunchLatency, BubbleCause::GpuWait));
  EXPECT_EQ(bubbles()[0].end_ns, 800'000);
}

// The gap [100,400100) begins 200,000 before the launch, and its kernel starts 200,000 after it: half is not more than
// half, and each has its part. From 200,001 before on all of it is the CPU's, whatever the GPU did then.
TEST_F(BubbleCauseTest, WhatTheCpuDidBeforeTheLaunchGoesFirst) {
  t.kernel(0, 100);
  t.kernel({200'100, 200'110}, {400'100, 400'200});
  t.kernel({600'201, 600'210}, {800'201, 800'300});
  EXPECT_THAT(causes(), ElementsAre(BubbleCause::Cpu, BubbleCause::GpuWait, BubbleCause::Cpu));
}

}  // namespace
}  // namespace lanescope::analysis_test
