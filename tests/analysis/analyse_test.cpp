#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::analyse;
using analysis::BubbleCause;
using analysis::Summary;
using analysis::VerdictKind;

Nanoseconds by_cause(const Summary& s, BubbleCause cause) { return idle_of(s.bubble_by_cause_ns, cause); }

void expect_busy(const Summary& s, Nanoseconds busy, Nanoseconds kernels, Nanoseconds copies_alone) {
  EXPECT_EQ(s.gpu_busy_ns, busy);
  EXPECT_EQ(s.kernel_ns, kernels);
  EXPECT_EQ(s.exposed_copy_ns, copies_alone);
}

class AnalyseTest : public TraceTest {
 protected:
  Summary all() {
    t.publish();
    return analyse(trace, std::numeric_limits<Nanoseconds>::min(), kEver);
  }
};

// Two iterations that read the loss; the second by a device synchronise.
//
//  iteration  [0 ------------------------------------------ 100)[100 --------------- 180)
//  calls        L1 [10,14)  M2 [30,33)  S [33 .. 68)             L3 [110,114)  D [120 .. 176)
//  kernels        k1 [20 ----------- 50)                           k3 [116 --------- 170)
//  D2H                                    c2 [52,60)
//
// busy     [20,50) + [52,60) + [116,170) = 30 + 8 + 54 = 92; kernels 84; copies alone 8
// gaps     [0,20) start 20
//          [50,52) c2 had been issued at 30: launch too slow, 2, all of it launch
//          [60,116) S covers 60, is back at 68, L3 begins at 110: after a sync, 56 = 8 wake + 42 CPU + 6 launch
//          [170,180) end 10                                        92 + 20 + 2 + 56 + 10 = 180
// waits    S: own 1, so [34,68) = 34; D: own 2, so [122,176) = 54; together 88
// ahead    k1 from 10 to 50, c2 from 30 to 60, k3 from 110 to 170: 40 + 30 + 60 = 130 in 180; 2 at once from 30 to 50
// verdict  idle 88 of 180 = 48.9 %, after a sync 56 of 180 = 31.1 %
TEST_F(AnalyseTest, TenEventsByHand) {
  t.iteration(0, 100);
  t.kernel({10, 14}, {20, 50});
  t.download({30, 33}, {52, 60}, 4);
  t.sync(33, 68, 1, 8);
  t.iteration(100, 180);
  t.kernel({110, 114}, {116, 170});
  t.sync(120, 176, 2, 6);
  ASSERT_EQ(t.events.size(), 10u);
  const Summary s = all();

  expect_span(s, 0, 180);
  EXPECT_EQ(s.iteration.count, 2);
  EXPECT_DOUBLE_EQ(s.iteration.mean_ns, 90);
  EXPECT_EQ(s.iteration.p50_ns, 80);
  EXPECT_EQ(s.iteration.p99_ns, 100);
  EXPECT_EQ(s.iteration.min_ns, 80);
  EXPECT_EQ(s.iteration.max_ns, 100);
  expect_busy(s, 92, 84, 8);
  EXPECT_EQ(s.host_wait_ns, 88);
  EXPECT_EQ(s.sync_count, 2);
  EXPECT_EQ(s.launch_count, 2);
  EXPECT_EQ(s.gpu_op_count, 3);
  expect_bubbles(s, 4, 88);
  EXPECT_EQ(by_cause(s, BubbleCause::StartOrEnd), 30);
  EXPECT_EQ(by_cause(s, BubbleCause::LaunchLatency), 2);
  EXPECT_EQ(by_cause(s, BubbleCause::AfterSync), 56);
  EXPECT_EQ(by_cause(s, BubbleCause::Staging), 0);
  EXPECT_EQ(s.h2d_bytes, 0);
  EXPECT_EQ(s.d2h_bytes, 4);
  EXPECT_EQ(s.d2h_ns, 8);
  EXPECT_DOUBLE_EQ(s.d2h_gb_per_s(), 0.5);
  expect_run_ahead(s, 130.0 / 180.0, 2);
  expect_span(s.judged, 0, 180);
  EXPECT_EQ(s.verdict.kind, VerdictKind::SyncBound);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 88.0 / 180.0);
  EXPECT_DOUBLE_EQ(s.verdict.after_sync, 56.0 / 180.0);
  EXPECT_DOUBLE_EQ(s.verdict.launch, 2.0 / 180.0);
  EXPECT_DOUBLE_EQ(s.verdict.exposed_copy, 8.0 / 180.0);
  EXPECT_EQ(s.verdict.sentence, "The GPU idles 49 % of the time, 31 % because of a read such as loss.item().");
}

// The window [40, 130) of a trace like the one above cuts a kernel, a wait and the copy.
//   kernel k1 [20,50), copy [52,72) of 2000 bytes, kernel k3 [116,170); sync S [33,80) own 1, returning 8
//   busy [40,50) + [52,72) + [116,130) = 10 + 20 + 14 = 44; wait [40,80) = 40
// no start gap, because k1 runs at 40; gaps [50,52) and [72,116); 44 + 2 + 44 = 90
//   S had started before 40 and does not count as a call of the window, L3 does
//   ahead: k1 [40,50) + copy [40,72) + k3 [110,130) = 10 + 32 + 20 = 62 in 90; 2 at once
// The window [60, 62) lies in the copy: a tenth of its 2000 bytes.
TEST_F(AnalyseTest, AWindowCutsWhatSpansItsEdges) {
  t.kernel({10, 14}, {20, 50});
  t.download({30, 33}, {52, 72}, 2000);
  t.sync(33, 80, 1, 8);
  t.kernel({110, 114}, {116, 170});
  t.publish();
  const Summary s = analyse(trace, 40, 130);
  expect_span(s, 40, 130);
  EXPECT_EQ(s.gpu_busy_ns, 44);
  EXPECT_EQ(s.host_wait_ns, 40);
  expect_bubbles(s, 2, 46);
  EXPECT_EQ(by_cause(s, BubbleCause::StartOrEnd), 0);
  EXPECT_EQ(by_cause(s, BubbleCause::AfterSync), 44);
  EXPECT_EQ(s.sync_count, 0);
  EXPECT_EQ(s.launch_count, 1);
  EXPECT_EQ(s.gpu_op_count, 2);
  EXPECT_EQ(s.d2h_bytes, 2000);
  expect_run_ahead(s, 62.0 / 90.0, 2);

  const Summary inside = analyse(trace, 60, 62);
  EXPECT_EQ(inside.gpu_busy_ns, 2);
  EXPECT_EQ(inside.d2h_bytes, 200);
  EXPECT_DOUBLE_EQ(inside.d2h_gb_per_s(), 100);
  EXPECT_EQ(inside.bubble_count, 0);
}

// If a window begins inside a gap, its cause is unknown: [90,116) is its start, although S drained the queue.
TEST_F(AnalyseTest, AGapAtTheEdgeOfTheWindowIsItsStartOrEnd) {
  t.kernel(20, 50, 1);
  t.sync(33, 58, 1, 8);
  t.kernel({110, 114}, {116, 170});
  t.kernel(190, 200);
  t.publish();
  const Summary s = analyse(trace, 90, 180);
  EXPECT_EQ(by_cause(s, BubbleCause::StartOrEnd), 26 + 10);
  expect_bubbles(s, 2, 36);
}

TEST_F(AnalyseTest, AWindowWithoutWorkIsOneGap) {
  t.kernel(0, 10);
  t.kernel(90, 100);
  t.publish();
  const Summary s = analyse(trace, 20, 50);
  expect_bubbles(s, 1, 30);
  EXPECT_EQ(by_cause(s, BubbleCause::StartOrEnd), 30);
  EXPECT_EQ(s.verdict.kind, VerdictKind::Unknown);
}

TEST_F(AnalyseTest, AnEmptyTraceAndAnEmptyWindowSayNothing) {
  const Summary none = analyse(trace, 0, 100);
  EXPECT_EQ(none.window_ns(), 0);
  EXPECT_EQ(none.bubble_count, 0);
  EXPECT_EQ(none.verdict.kind, VerdictKind::Unknown);
  EXPECT_FALSE(none.verdict.sentence.empty());
  t.kernel(0, 100);
  t.publish();
  EXPECT_EQ(analyse(trace, 50, 50).window_ns(), 0);
  EXPECT_EQ(analyse(trace, 70, 50).gpu_busy_ns, 0);
}

// Three kernels at once on three streams and a copy beside them: busy is [0,40) = 40, not 30 + 30 + 30 + 20 = 110.
TEST_F(AnalyseTest, BusyIsAUnionNotASum) {
  t.kernel(0, 30, 0, 0);
  t.kernel(5, 35, 0, 1);
  t.kernel(10, 40, 0, 2);
  t.upload(10, 30, 1000, 0, 3);
  const Summary s = all();
  expect_busy(s, 40, 40, 0);
  EXPECT_EQ(s.h2d_ns, 20);
  EXPECT_EQ(s.bubble_count, 0);
}

// A copy [20,60) and a kernel [40,80): 20 of the copy are alone.
TEST_F(AnalyseTest, OnlyThePartOfACopyWithoutAKernelIsExposed) {
  t.upload(20, 60, 1000);
  t.kernel(40, 80, 0, 1);
  const Summary s = all();
  expect_busy(s, 60, 40, 20);
}

// Two uploads overlap: [0,40) and [20,60): 60 of copying for 6000 bytes, not 80.
TEST_F(AnalyseTest, CopyTimeOfADirectionIsAUnionToo) {
  t.upload(0, 40, 4000, 0, 1);
  t.upload(20, 60, 2000, 0, 2);
  t.download(10, 20, 500, 0, 3);
  const Summary s = all();
  EXPECT_EQ(s.h2d_ns, 60);
  EXPECT_EQ(s.h2d_bytes, 6000);
  EXPECT_EQ(s.d2h_ns, 10);
  EXPECT_EQ(s.d2h_bytes, 500);
  EXPECT_DOUBLE_EQ(s.h2d_gb_per_s(), 100);
}

// Pitfall 1. The CPU waits [10,98) while the GPU is busy [0,95), and the next kernel follows at once because it had
// been issued before. 88 of host wait, no loss.
TEST_F(AnalyseTest, AHostWaitOverABusyGpuIsNoLoss) {
  t.kernel({0, 2}, {4, 50});
  t.kernel({2, 4}, {50, 95});
  t.sync(9, 98, 1, 3);
  t.kernel({5, 8}, {95, 100}, 0, 1);
  const Summary s = all();
  EXPECT_EQ(s.host_wait_ns, 88);
  EXPECT_EQ(by_cause(s, BubbleCause::AfterSync), 0);
  EXPECT_EQ(s.bubble_ns, 4);  // [0,4) before the first operation
  EXPECT_EQ(s.verdict.kind, VerdictKind::GpuBound);
  EXPECT_EQ(s.verdict.sentence, "The GPU is busy 100 % of the time: it sets the pace, not the CPU.");
}

// Two threads wait [10,50) and [20,60) of their own: 40 + 40. On one thread a driver call inside the runtime call waits
// the same time again, and is not counted twice.
TEST_F(AnalyseTest, WaitsCountPerThreadAndOnceInNestedCalls) {
  t.sync(10, 50, 0, 5, 1);
  t.sync(20, 60, 0, 5, 2);
  t.sync(12, 48, 0, 5, 1);
  t.kernel(0, 100);
  EXPECT_EQ(all().host_wait_ns, 80);
}

TEST_F(AnalyseTest, ACallThatDoesNotBlockIsNoWait) {
  t.kernel({0, 50}, {50, 100});
  EXPECT_EQ(all().host_wait_ns, 0);
}

// An instant is not work: the gap [10,90) stays one gap. It still counts as an operation, with its bytes.
TEST_F(AnalyseTest, EventsWithoutDurationAreCountedButNoWork) {
  t.kernel(0, 10);
  t.kernel(50, 50);
  t.upload(60, 60, 8);
  t.sync(70, 70, 0, 0);
  t.kernel(90, 100);
  const Summary s = all();
  EXPECT_EQ(s.gpu_busy_ns, 20);
  expect_bubbles(s, 1, 80);
  EXPECT_EQ(s.gpu_op_count, 4);
  EXPECT_EQ(s.h2d_bytes, 8);
  EXPECT_EQ(s.sync_count, 1);
  EXPECT_EQ(s.run_ahead_max, 1);
}

TEST_F(AnalyseTest, GpuRangesAndPhasesAreNoWork) {
  t.kernel(40, 60);
  t.add(t.lane(LaneKind::GpuRanges), EventKind::Range, "forward", 0, 100);
  t.range("forward", 0, 100);
  const Summary s = all();
  EXPECT_EQ(s.gpu_busy_ns, 20);
  EXPECT_EQ(s.bubble_ns, 80);
  EXPECT_EQ(s.iteration.count, 0);
}

TEST_F(AnalyseTest, DriverExAndGraphLaunchesCountCopiesDoNot) {
  t.call("cuLaunchKernel", 0, 1);
  t.call("cudaLaunchKernelExC", 2, 3);
  t.call("cudaLaunchKernel", 4, 5);
  t.call("cudaGraphLaunch", 6, 7);
  t.copy_call(8, 9, 1);
  EXPECT_EQ(all().launch_count, 4);
}

// Only iterations that lie completely in the window: of [0,10) [10,30) [30,60) [60,100), the window [5,99) has two.
TEST_F(AnalyseTest, OnlyWholeIterationsCount) {
  t.iteration(0, 10);
  t.iteration(10, 30);
  t.iteration(30, 60);
  t.iteration(60, 100);
  t.kernel(0, 100);
  t.publish();
  const Summary s = analyse(trace, 5, 99);
  EXPECT_EQ(s.iteration.count, 2);
  EXPECT_DOUBLE_EQ(s.iteration.mean_ns, 25);
  expect_span(s.judged, 10, 60);
  EXPECT_EQ(analyse(trace, 10, 60).iteration.count, 2);
}

// The verdict is for the iterations: set-up took [0,1000), idle except for [500,600).
TEST_F(AnalyseTest, SettingUpIsNotJudged) {
  t.upload(500, 600, 1000);
  t.iteration(1000, 1100);
  t.kernel(1000, 1095);
  const Summary s = all();
  EXPECT_EQ(s.gpu_busy_ns, 195);
  EXPECT_EQ(s.judged.busy_ns, 95);
  EXPECT_DOUBLE_EQ(s.verdict.idle, 0.05);
  EXPECT_EQ(s.verdict.kind, VerdictKind::GpuBound);
}

// Without iterations the ends of the window are not judged: [40,60) of [0,100) is all busy.
TEST_F(AnalyseTest, WithoutIterationsTheEndsAreNotJudged) {
  t.call("cudaFree", 0, 10);
  t.kernel(40, 60);
  t.call("cudaFree", 90, 100);
  const Summary s = all();
  EXPECT_EQ(s.bubble_ns, 80);
  expect_span(s.judged, 40, 60);
  EXPECT_EQ(s.verdict.kind, VerdictKind::GpuBound);
  const Summary cut = analyse(trace, 50, 55);
  expect_span(cut.judged, 50, 55);
}

// Ignores what is not complete yet: complete until 70, although a kernel [80,90) is already there.
TEST_F(AnalyseTest, TheWindowEndsWhereTheTraceIsComplete) {
  t.kernel(0, 50);
  t.kernel(60, 75);
  t.kernel(80, 90);
  t.publish_until(70);
  const Summary s = analyse(trace, 0, 1000);
  EXPECT_EQ(s.to_ns, 70);
  EXPECT_EQ(s.gpu_busy_ns, 60);
  EXPECT_EQ(s.gpu_op_count, 2);
}

// Half of the kernels are evicted: nothing before the first one kept counts as idle.
TEST_F(AnalyseTest, WhatWasEvictedIsNotCalledIdle) {
  trace::Trace small(6 * sizeof(trace::Block));
  TraceBuilder b(small);
  b.call("cudaFree", 0, 1);
  constexpr int kKernels = 20 * static_cast<int>(trace::kBlockEvents);
  for (int i = 0; i < kKernels; ++i) b.kernel(10 * i, 10 * i + 10);
  b.publish();
  ASSERT_GT(small.counts().evicted, 0u);
  const Summary s = analyse(small, 0, kEver);
  EXPECT_GT(s.from_ns, 0);
  EXPECT_EQ(s.to_ns, 10 * kKernels);
  EXPECT_EQ(s.gpu_busy_ns, s.window_ns());
  EXPECT_EQ(s.bubble_count, 0);
}

// Far more events than are read as context before a window: the window's figures are for the window only. It begins
// between a call and its operation, which counts as run-ahead from the start.
TEST_F(AnalyseTest, AWindowInALongTraceSeesOnlyItsOwn) {
  for (Nanoseconds at = 0; at < 2'000'000; at += 100) t.kernel({at, at + 5}, {at + 10, at + 60});
  t.publish();
  const Summary s = analyse(trace, 1'500'007, 1'500'407);
  EXPECT_EQ(s.gpu_busy_ns, 200);
  EXPECT_EQ(s.launch_count, 4);
  expect_run_ahead(s, (53 + 3 * 60 + 7) / 400.0, 1);
  EXPECT_EQ(by_cause(s, BubbleCause::Cpu), 3 * 50);
  EXPECT_EQ(by_cause(s, BubbleCause::StartOrEnd), 3 + 47);
}

// Run-ahead: a call without an operation (a memset of no bytes) does not count, an operation without a call counts from
// its own start, and a graph launch counts once until the last of its operations has ended.
//   call 1 at 0 has none; call 2 at 10 has [20,40): 30; an operation [30,50) alone: 20; graph 3 at 50 has [60,70) and
//   [65,95): 45; a call at 90 whose operation starts after the window [0,100), at 120: 10. Sum 105; 2 at once.
TEST_F(AnalyseTest, RunAheadBearsMissingSides) {
  t.launch(0, 5, 1);
  t.kernel({10, 12}, {20, 40});
  t.kernel(30, 50, 0, 1);
  t.launch(50, 55, 3);
  t.kernel(60, 70, 3);
  t.kernel(65, 95, 3, 1);
  t.kernel({90, 92}, {120, 130});
  t.publish();
  const Summary s = analyse(trace, 0, 100);
  expect_run_ahead(s, 1.05, 2);
}

TEST_F(AnalyseTest, WhatStartsAndEndsWhereItIsIssuedIsNeverAhead) {
  t.kernel({10, 10}, {10, 10});
  t.call("cudaFree", 0, 20);
  const Summary s = all();
  EXPECT_EQ(s.gpu_op_count, 1);
  EXPECT_EQ(s.run_ahead_max, 0);
  EXPECT_EQ(s.run_ahead_mean, 0);
}

// 100 kernels issued at once, 10 ns each: ahead falls from 100 to 0.
TEST_F(AnalyseTest, RunAheadOfAQueueThatDrains) {
  for (int i = 0; i < 100; ++i) t.kernel({i, i + 1}, {100 + 10 * i, 110 + 10 * i});
  const Summary s = all();
  EXPECT_EQ(s.run_ahead_max, 100);
  // From call i to the end of kernel i: 110 + 9 i, i from 0 to 99: 11000 + 9 * 4950 = 55550.
  EXPECT_DOUBLE_EQ(s.run_ahead_mean, 55550.0 / 1100.0);
}

}  // namespace
}  // namespace lanescope::analysis_test
