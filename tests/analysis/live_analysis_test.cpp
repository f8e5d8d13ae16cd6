#include "analysis/live_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

using analysis::BubbleCause;
using analysis::IterationRecord;
using analysis::LiveAnalysis;
using analysis::Summary;
using analysis::VerdictKind;

class LiveAnalysisTest : public TraceTest {
 protected:
  /// All that is complete then.
  void update_to(Nanoseconds complete_until) {
    t.publish_until(complete_until);
    live.update(kEver);
  }

  LiveAnalysis live{trace};
};

TEST_F(LiveAnalysisTest, NothingYet) {
  live.update(kEver);
  EXPECT_EQ(live.total().verdict.kind, VerdictKind::Unknown);
  EXPECT_EQ(live.total().window_ns(), 0);
  EXPECT_EQ(live.window(0, kEver).iteration.count, 0);
  EXPECT_EQ(live.since_first_iteration().window_ns(), 0);
  live.finish();
  EXPECT_TRUE(live.records().empty());
  EXPECT_TRUE(live.bubbles().empty());
}

// Complete until 150: the kernel that ends at 100 was the last, and whether [100,150) is a bubble is unknown. At 180
// the next kernel begins, which makes it a bubble of 80.
TEST_F(LiveAnalysisTest, TheLiveEdgeIsNotABubble) {
  t.kernel(0, 100);
  update_to(150);
  EXPECT_EQ(live.analysed_until(), 100);
  EXPECT_EQ(live.total().bubble_ns, 0);
  EXPECT_EQ(live.total().gpu_busy_ns, 100);
  EXPECT_TRUE(live.bubbles().empty());
  t.kernel({170, 172}, {180, 190});
  update_to(200);
  ASSERT_EQ(live.bubbles().size(), 1u);
  EXPECT_EQ(live.bubbles()[0].duration(), 80);
  EXPECT_EQ(live.bubbles()[0].cause, BubbleCause::Cpu);
  EXPECT_EQ(live.total().bubble_ns, 80);
  live.finish();
  EXPECT_EQ(live.total().to_ns, 190);
  EXPECT_EQ(live.total().bubble_ns, 80);
}

// The kernel is known to end at 1000, but it is only 400 now.
TEST_F(LiveAnalysisTest, WhatEndsInTheFutureIsCutAtUntil) {
  t.kernel(100, 1000);
  t.sync(200, 1010, 0, 10);
  t.publish_until(2000);
  live.update(400);
  EXPECT_EQ(live.analysed_until(), 400);
  EXPECT_EQ(live.total().gpu_busy_ns, 300);
  EXPECT_EQ(live.total().host_wait_ns, 200);
  expect_span(live.total(), 100, 400);
  live.update(300);  // never goes back
  EXPECT_EQ(live.analysed_until(), 400);
  live.update(1005);
  EXPECT_EQ(live.total().gpu_busy_ns, 900);
  EXPECT_EQ(live.total().host_wait_ns, 805);
}

// A record waits until everything that starts before the iteration's end is known, and work across its end is split:
// the kernel [80,130) contributes 20 to the first iteration [0,100) and 30 to the second [100,200).
TEST_F(LiveAnalysisTest, RecordsSplitWorkAtTheIterationsEnd) {
  t.iteration(0, 100);
  t.kernel(80, 130);
  update_to(99);
  EXPECT_TRUE(live.records().empty());
  t.iteration(100, 200);
  update_to(100);
  ASSERT_EQ(live.records().size(), 1u);
  EXPECT_EQ(live.records()[0].busy_ns, 20);
  EXPECT_EQ(live.records()[0].number, 1);
  update_to(250);
  ASSERT_EQ(live.records().size(), 2u);
  EXPECT_EQ(live.records()[1].busy_ns, 50);
  const Summary second = live.window(100, 200);
  EXPECT_EQ(second.gpu_busy_ns, 30);
  EXPECT_EQ(second.iteration.count, 1);
  expect_span(second, 100, 200);
}

// The gap [50,150) extends over the end of the first iteration. Its cause is unknown until it is closed; then each
// iteration gets 50.
TEST_F(LiveAnalysisTest, AGapOverAnIterationsEndIsSplitWhenItsCauseIsKnown) {
  t.iteration(0, 100);
  t.kernel(0, 50, 1);
  t.sync(10, 60, 1, 10);
  update_to(120);
  ASSERT_EQ(live.records().size(), 1u);
  const auto after_sync = static_cast<std::size_t>(BubbleCause::AfterSync);
  EXPECT_EQ(live.records()[0].bubble_ns[after_sync], 0);
  EXPECT_EQ(live.records()[0].bubble_count, 0);
  t.kernel({140, 145}, {150, 200});
  t.iteration(120, 200);
  update_to(300);
  ASSERT_EQ(live.records().size(), 2u);
  EXPECT_EQ(live.records()[0].bubble_ns[after_sync], 50);
  EXPECT_EQ(live.records()[0].bubble_count, 0);
  EXPECT_EQ(live.records()[1].bubble_ns[after_sync], 100);
  EXPECT_EQ(live.records()[1].bubble_count, 1);
  EXPECT_EQ(live.window(0, 100).bubble_ns, 50);
  EXPECT_EQ(live.window(0, 200).verdict.kind, VerdictKind::SyncBound);
}

// Four iterations of 100: the window may begin and end anywhere; whole iterations count.
TEST_F(LiveAnalysisTest, WindowsTakeWholeIterations) {
  for (int i = 0; i < 4; ++i) {
    t.iteration(100 * i, 100 * i + 100);
    t.kernel(100 * i, 100 * i + 10 * (i + 1));
    t.upload(100 * i + 50, 100 * i + 60, 1000);
  }
  t.publish();
  live.update(kEver);
  EXPECT_EQ(live.window(0, 400).iteration.count, 4);
  EXPECT_EQ(live.window(0, 400).kernel_ns, 10 + 20 + 30 + 40);
  const Summary middle = live.window(100, 300);
  EXPECT_EQ(middle.iteration.count, 2);
  EXPECT_EQ(middle.kernel_ns, 20 + 30);
  EXPECT_EQ(middle.h2d_bytes, 2000);
  EXPECT_EQ(middle.h2d_ns, 20);
  EXPECT_EQ(middle.exposed_copy_ns, 20);
  EXPECT_EQ(middle.gpu_op_count, 4);
  EXPECT_EQ(live.window(150, 399).iteration.count, 1);  // [200,300)
  EXPECT_EQ(live.window(150, 399).kernel_ns, 30);
  EXPECT_EQ(live.window(210, 290).iteration.count, 0);
  EXPECT_EQ(live.window(400, 500).iteration.count, 0);
  EXPECT_EQ(live.window(300, 100).iteration.count, 0);
}

// Set-up is part of the total, but not of the figures since the first iteration: uploads [0,50) and [80,110), iteration
// from 100 on, kernel [120,160).
TEST_F(LiveAnalysisTest, SinceTheFirstIteration) {
  t.upload(0, 50, 500);
  t.launch(70, 72, 1);
  t.upload(80, 110, 300, 1);
  t.kernel({73, 74}, {80, 90}, 1);  // two ahead, while setting up
  t.iteration(100, 200);
  t.kernel(120, 160);
  t.kernel(180, 200);
  t.publish();
  live.finish();
  EXPECT_EQ(live.total().gpu_busy_ns, 50 + 30 + 40 + 20);
  EXPECT_EQ(live.total().h2d_bytes, 800);
  EXPECT_EQ(live.total().run_ahead_max, 2);
  const Summary s = live.since_first_iteration();
  expect_span(s, 100, 200);
  EXPECT_EQ(s.gpu_busy_ns, 10 + 40 + 20);
  EXPECT_EQ(s.h2d_bytes, 100);
  EXPECT_EQ(s.gpu_op_count, 2);
  expect_bubbles(s, 2, 10 + 20);
  expect_run_ahead(s, (10 + 40 + 20) / 100.0, 1);
}

// The second iteration only issues; its work runs for 200 after its end.
TEST_F(LiveAnalysisTest, SinceAnIterationHoldsWhatRunsAfterTheLast) {
  t.iteration(100, 200);
  t.kernel(120, 160);
  t.iteration(200, 250);
  t.kernel({210, 215}, {220, 350});
  t.kernel({215, 220}, {350, 450});
  t.publish();
  live.finish();
  const Summary s = live.since(live.records().front());
  expect_span(s, 200, 450);
  EXPECT_EQ(s.gpu_busy_ns, 230);
  EXPECT_EQ(s.iteration.count, 1);
  EXPECT_EQ(s.iteration.max_ns, 50);
  EXPECT_EQ(s.run_ahead_max, 2);
  // 210 to 350 the first, 215 to 450 the second.
  EXPECT_DOUBLE_EQ(s.run_ahead_mean, (140 + 235) / 250.0);
  EXPECT_EQ(s.judged.to_ns, 250);
}

// Four iterations of 200. The second copies to the host, and the CPU waits for it: the GPU has run dry at 270 and gets
// its next kernel at 320. The newest three are 2 to 4.
TEST_F(LiveAnalysisTest, OfTheNewestIterationsItIsKnownWhichReadAndWait) {
  for (int i = 0; i < 4; ++i) {
    const Nanoseconds at = 200 * i;
    t.iteration(at, at + 200);
    if (i != 1) t.kernel({at + 10, at + 15}, {at + 20, at + 190});
  }
  t.kernel({210, 215}, {220, 250});
  t.download({216, 218}, {250, 270}, 4);
  t.sync(220, 275, 2, 3);
  t.kernel({310, 315}, {320, 390});
  t.publish();
  live.update(kEver);
  live.finish();
  const auto recent = analysis::recent_iterations(live, 3);
  ASSERT_EQ(recent.size(), 3u);
  EXPECT_EQ(recent[0].start_ns, 200);
  EXPECT_TRUE(recent[0].reads && recent[0].waits);
  EXPECT_EQ(recent[0].lost_ns, 50);
  for (const std::size_t i : {1, 2}) {
    EXPECT_FALSE(recent[i].reads || recent[i].waits) << i;
    EXPECT_EQ(recent[i].lost_ns, 0) << i;
  }
}

TEST_F(LiveAnalysisTest, LossIsTheNewestOneAtTheIterationsEnd) {
  t.iteration(0, 100);
  t.iteration(100, 200);
  t.iteration(200, 300);
  t.loss(150, 0.75);
  t.loss(300, 0.5);  // read at the very end of the iteration
  t.add(t.lane(LaneKind::Counter, 0, "temperature"), EventKind::Counter, "temperature", 160, 160);
  t.publish();
  live.update(kEver);
  live.finish();
  ASSERT_EQ(live.records().size(), 3u);
  EXPECT_TRUE(std::isnan(live.records()[0].loss));
  EXPECT_EQ(live.records()[1].loss, 0.75);
  EXPECT_EQ(live.records()[2].loss, 0.5);
}

TEST_F(LiveAnalysisTest, MarkersInOrder) {
  const LaneId lane = t.lane(LaneKind::Markers);
  t.kernel(0, 30);
  t.add(lane, EventKind::Marker, "log interval 1 → 100", 10, 10);
  update_to(15);
  ASSERT_EQ(live.markers().size(), 1u);
  t.add(lane, EventKind::Marker, "pinned false → true", 30, 30);
  update_to(30);
  EXPECT_EQ(live.markers().size(), 1u);
  live.finish();
  ASSERT_EQ(live.markers().size(), 2u);
  EXPECT_EQ(live.markers()[1].start_ns, 30);
  EXPECT_EQ(trace.names().text(live.markers()[1].name), "pinned false → true");
  EXPECT_EQ(live.markers()[1].lane, lane);
}

// 1000 iterations with space for 16 records: total figures stay exact; older records are further apart.
TEST_F(LiveAnalysisTest, ThinningKeepsSumsExact) {
  LiveAnalysis small(trace, 16, 10);
  for (int i = 0; i < 1000; ++i) {
    t.iteration(100 * i, 100 * i + 100);
    t.kernel(100 * i, 100 * i + 40);
    t.kernel(100 * i + 50, 100 * i + 60, 0, 1);
  }
  t.kernel(210, 220, 0, 2);  // at its peak in the third iteration, whose record goes
  t.publish();
  small.update(300);
  small.update(50'000);
  EXPECT_LE(small.records().size(), 16u);
  EXPECT_EQ(small.total().iteration.count, 500);
  EXPECT_EQ(small.window(0, 50'000).run_ahead_max, 2);
  small.finish();
  const Summary total = small.total();
  EXPECT_EQ(total.iteration.count, 1000);
  EXPECT_DOUBLE_EQ(total.iteration.mean_ns, 100);
  EXPECT_EQ(total.gpu_busy_ns, 50'000);
  EXPECT_EQ(total.run_ahead_max, 2);
  EXPECT_LE(small.records().size(), 16u);
  EXPECT_EQ(small.records().back().number, 1000);
  EXPECT_EQ(small.records().back().busy_ns, 50'000);
  for (const IterationRecord& r : small.records()) EXPECT_EQ(r.busy_ns, 50 * r.number);
  for (const IterationRecord& r : small.records()) {
    const Summary later = small.window(r.start_ns, 100'000);
    EXPECT_TRUE(later.iteration.count == 0 || later.from_ns >= r.start_ns);
  }
  const Summary window = small.window(0, 100'000);
  EXPECT_EQ(window.run_ahead_max, 2);
  EXPECT_EQ(window.iteration.count, 1000);
  EXPECT_EQ(window.gpu_busy_ns, 50'000);
  EXPECT_EQ(small.bubbles().size(), 10u);
  EXPECT_EQ(small.bubbles().back().end_ns, 100'000);
}

// The maximum of 3 is in the first iteration and settled; then a call of the second keeps everything later open while
// the first record is dropped. The second record takes over the maximum when it is settled.
TEST_F(LiveAnalysisTest, ThinningBesideAnOpenRunAhead) {
  LiveAnalysis small(trace, 4);
  for (int i = 0; i < 6; ++i) t.iteration(100 * i, 100 * i + 100);
  for (int c = 1; c <= 3; ++c) t.kernel({c, c + 1}, {10 * c, 10 * c + 10});
  t.kernel({150, 155}, {560, 570});
  t.publish();
  small.update(430);
  EXPECT_EQ(small.records().front().run_ahead_max, 3);
  small.update(510);
  ASSERT_EQ(small.records().front().number, 2);
  small.finish();
  EXPECT_EQ(small.records().front().run_ahead_max, 3);
  EXPECT_EQ(small.window(0, 600).run_ahead_max, 3);
  EXPECT_EQ(small.window(200, 600).run_ahead_max, 1);
}

// The very last instant is outside the half-open extent, for every analysis. The call that issued it counts as
// run-ahead until then: 100 for the first kernel and [90,100) for the second.
TEST_F(LiveAnalysisTest, TheLastInstantIsOutside) {
  t.kernel(0, 100);
  t.kernel({90, 95}, {100, 100}, 1);
  t.sync(100, 100, 0, 0);
  t.publish();
  live.finish();
  EXPECT_EQ(live.total().sync_count, 0);
  EXPECT_EQ(live.total().gpu_op_count, 1);
  EXPECT_DOUBLE_EQ(live.total().run_ahead_mean, 1.1);
  EXPECT_EQ(analysis::analyse(trace, 0, 100).sync_count, 0);
  EXPECT_DOUBLE_EQ(analysis::analyse(trace, 0, 100).run_ahead_mean, 1.1);
}

// Two kernels end a gap at the same instant. Which of them explains it does not depend on which stream was used first.
TEST_F(LiveAnalysisTest, TheOrderOfOneInstantIsThatOfTheLanes) {
  t.lane(LaneKind::Kernels, 0);
  t.kernel(0, 100, 0, 1);
  update_to(50);
  t.kernel({160, 165}, {200, 210}, 1);
  t.kernel({150, 155}, {200, 210}, 0);
  t.publish();
  live.finish();
  ASSERT_EQ(live.bubbles().size(), 1u);
  EXPECT_EQ(live.bubbles()[0].call_start_ns, 150);
}

// Started after the oldest kernels were evicted: older calls that still exist do not count.
TEST_F(LiveAnalysisTest, BegunAfterAnEviction) {
  trace::Trace small(6 * sizeof(trace::Block));
  TraceBuilder b(small);
  b.sync(0, 5, 1, 1);
  constexpr int kKernels = 20 * static_cast<int>(trace::kBlockEvents);
  for (int i = 0; i < kKernels; ++i) b.kernel(10 * i, 10 * i + 10);
  b.publish();
  ASSERT_GT(small.counts().evicted, 0u);
  LiveAnalysis late(small);
  late.update(kEver);
  late.finish();
  const Summary s = late.total();
  EXPECT_GT(s.from_ns, 0);
  EXPECT_EQ(s.sync_count, 0);
  EXPECT_EQ(s.host_wait_ns, 0);
  EXPECT_EQ(s.bubble_count, 0);
  EXPECT_EQ(s.gpu_busy_ns, s.window_ns());
}

// New lanes, and new rows of a lane, that appear after the first update.
TEST_F(LiveAnalysisTest, LanesAndRowsThatComeLater) {
  t.kernel(0, 100, 0, 0);
  update_to(50);
  t.kernel(60, 120, 0, 7);  // another stream
  t.kernel(70, 150, 0, 0);  // overlaps on its lane, so it lies in a second row
  update_to(200);
  EXPECT_EQ(live.total().gpu_busy_ns, 150);
  EXPECT_EQ(live.total().gpu_op_count, 3);
}

// Blocks evicted after they were read make no difference; those evicted unread are not a bubble with a cause.
TEST_F(LiveAnalysisTest, EvictedEvents) {
  trace::Trace small(6 * sizeof(trace::Block));
  TraceBuilder b(small);
  LiveAnalysis keeps_up(small), falls_behind(small);
  constexpr int kRounds = 20;
  constexpr int kPerRound = static_cast<int>(trace::kBlockEvents);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kPerRound; ++i) {
      const Nanoseconds at = 10 * (round * kPerRound + i);
      b.kernel(at, at + 10);
    }
    b.publish_until(10 * (round + 1) * kPerRound);
    keeps_up.update(kEver);
    if (round == 0 || round == kRounds - 1) falls_behind.update(kEver);
  }
  ASSERT_GT(small.counts().evicted, 0u);
  keeps_up.finish();
  falls_behind.finish();
  EXPECT_EQ(keeps_up.total().gpu_busy_ns, 10 * kRounds * kPerRound);
  EXPECT_EQ(keeps_up.total().bubble_count, 0);

  const Summary behind = falls_behind.total();
  EXPECT_LT(behind.gpu_busy_ns, keeps_up.total().gpu_busy_ns);
  ASSERT_EQ(falls_behind.bubbles().size(), 1u);
  EXPECT_EQ(falls_behind.bubbles()[0].cause, BubbleCause::StartOrEnd);
  EXPECT_EQ(behind.bubble_ns + behind.gpu_busy_ns, behind.window_ns());
  EXPECT_EQ(behind.verdict.kind, VerdictKind::Unknown);
}

// A launch without an operation is given up when so many others have come that no queue could still hold it; until
// then, it counts as run-ahead in a live analysis.
TEST_F(LiveAnalysisTest, ALaunchWithoutAnOperationIsGivenUp) {
  t.launch(0, 5, 1);
  t.kernel(10, 20);
  update_to(30);
  EXPECT_EQ(live.total().run_ahead_max, 2);
  constexpr std::uint32_t kLaunches = 10'000;
  for (std::uint32_t i = 0; i < kLaunches; ++i) {
    const Nanoseconds at = 100 + 10 * static_cast<Nanoseconds>(i);
    t.kernel({at, at + 2}, {at + 3, at + 8});
  }
  t.publish();
  live.update(kEver);
  EXPECT_EQ(live.total().run_ahead_max, 1);
  EXPECT_DOUBLE_EQ(live.total().run_ahead_mean,
                   (10.0 + 8.0 * kLaunches) / static_cast<double>(live.total().window_ns()));
}

// A writer appends from its own thread while the analysis reads: nothing is missed and nothing read twice.
TEST_F(LiveAnalysisTest, AWriterOnAnotherThread) {
  constexpr int kIterations = 20'000;
  for (int i = 0; i < kIterations; ++i) {
    const Nanoseconds at = 100 * static_cast<Nanoseconds>(i);
    t.iteration(at, at + 100);
    t.kernel({at + 10, at + 14}, {at + 20, at + 60});
    t.sync(at + 15, at + 70, 1, 10);
  }
  const std::vector<Event> events = t.events;
  std::thread writer([&] {
    for (std::size_t i = 0; i < events.size(); ++i) {
      trace.append(events[i]);
      if (i % 37 != 0) continue;
      trace.publish();
      trace.set_complete_until(events[i].start_ns);
    }
    trace.publish();
    trace.set_complete_until(kEver);
  });
  Nanoseconds until = std::numeric_limits<Nanoseconds>::min();
  while (live.records().size() < kIterations) {
    live.update(kEver);
    ASSERT_GE(live.analysed_until(), until);
    until = live.analysed_until();
  }
  writer.join();
  live.finish();
  const Summary s = live.total();
  EXPECT_EQ(s.iteration.count, kIterations);
  EXPECT_EQ(s.gpu_op_count, kIterations);
  EXPECT_EQ(s.launch_count, kIterations);
  EXPECT_EQ(s.sync_count, kIterations);
  EXPECT_EQ(s.gpu_busy_ns, 40 * kIterations);
  EXPECT_EQ(s.host_wait_ns, 54 * kIterations);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, BubbleCause::AfterSync), 60 * (kIterations - 1));
  EXPECT_EQ(s.run_ahead_max, 1);
}

// The same loop, read every iteration or never: by hand 45 of 100 against 5 of 100 idle.
//   Each iteration [0,100): kernel [0,50), copy [50,55), sync back at 60, next launch at 90, next kernel at 100.
TEST_F(LiveAnalysisTest, TheVerdictChangesWhenTheReadGoes) {
  std::uint32_t c = 0;
  constexpr int kWith = 50, kWithout = 50;
  for (int i = 0; i < kWith; ++i) {
    const Nanoseconds at = 100 * i;
    t.iteration(at, at + 100);
    t.kernel(at, at + 50, c);
    t.download({at + 2, at + 3}, {at + 50, at + 55}, 4);
    t.sync(at + 3, at + 60, 1, 5);
    t.launch(at + 90, at + 92, ++c);
  }
  for (int i = 0; i < kWithout; ++i) {
    const Nanoseconds at = 100 * (kWith + i);
    t.iteration(at, at + 100);
    t.kernel(at, at + 95, c);
    t.launch(at + 20, at + 22, ++c);
  }
  t.publish();
  live.update(100 * (kWith + kWithout));
  const Summary with = live.window(0, 100 * kWith), without = live.window(100 * kWith, 100 * (kWith + kWithout));
  EXPECT_EQ(with.iteration.count, kWith);
  EXPECT_EQ(with.verdict.kind, VerdictKind::SyncBound);
  EXPECT_EQ(with.verdict.sentence, "The GPU idles 45 % of the time because of a read such as loss.item().");
  EXPECT_EQ(without.iteration.count, kWithout);
  EXPECT_EQ(without.verdict.kind, VerdictKind::GpuBound);
  EXPECT_EQ(without.host_wait_ns, 0);
}

}  // namespace
}  // namespace lanescope::analysis_test
