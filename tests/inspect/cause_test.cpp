#include "inspect/cause.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

using analysis::BubbleCause;
using analysis_test::TraceBuilder;
using trace::EventKind;
using trace::LaneKind;

// One thread, one stream, times in ns:
//   launch 1 [0,10)  launch 2 [10,20)  sync [20,230): own 5, returns in 10, so it waits [25,220)
//   kernel 1 [30,120)  kernel 2 [120,220)
//   launch 3 [250,260)  kernel 3 [270,300)
// The GPU is idle in [220,270): 10 until the CPU returns at 230, 20 until it launches at 250, 20 until the kernel
// starts.
class CauseTest : public testing::Test {
 protected:
  void SetUp() override {
    t.launch(0, 10, 1);
    t.launch(10, 20, 2);
    t.sync(20, 230, 5, 10);
    t.kernel(30, 120, 1);
    t.kernel(120, 220, 2);
    t.launch(250, 260, 3);
    t.kernel(270, 300, 3);
    t.add(t.lane(LaneKind::Phases, 0, "phase"), EventKind::Range, "forward", 0, 15);
    t.publish();
    live.update(1'000'000);
    live.finish();
  }

  EventRef event_at(LaneKind kind, Nanoseconds start) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<trace::LaneId>(l);
      if (trace.lane(lane).info().kind != kind) continue;
      const trace::Row& row = trace.lane(lane).row(0);
      for (auto i = row.first(); i < row.last(); ++i) {
        if (row.start(i) == start) return {lane, 0, i, row.event(i)};
      }
    }
    ADD_FAILURE() << "no event at " << start;
    return {};
  }

  void expect_whole_path(const CausePath& path) {
    ASSERT_TRUE(path.wait && path.last_operation && path.its_launch && path.bubble && path.next_launch);
    EXPECT_EQ(path.wait->event.start_ns, 20);
    EXPECT_EQ(path.last_operation->event.start_ns, 120);
    EXPECT_EQ(path.its_launch->event.start_ns, 10);
    EXPECT_EQ(path.bubble->start_ns, 220);
    EXPECT_EQ(path.bubble->wake_ns, 10);
    EXPECT_EQ(path.bubble->cpu_ns, 20);
    EXPECT_EQ(path.bubble->launch_ns, 20);
    EXPECT_EQ(path.next_launch->event.start_ns, 250);
    EXPECT_EQ(path.next_operation->event.start_ns, 270);
  }

  trace::Trace trace;
  TraceBuilder t{trace};
  analysis::LiveAnalysis live{trace};
};

TEST_F(CauseTest, ThePathIsTheSameFromEveryStationThatMakesOne) {
  expect_whole_path(cause_path(live, event_at(LaneKind::Calls, 20)));     // the wait
  expect_whole_path(cause_path(live, event_at(LaneKind::Kernels, 120)));  // what it waited for
  expect_whole_path(cause_path(live, event_at(LaneKind::Kernels, 270)));  // what ended the bubble
  for (const analysis::Bubble& bubble : live.bubbles()) {
    if (bubble.start_ns == 220) expect_whole_path(cause_path(live.links(), bubble));
  }
}

TEST_F(CauseTest, WhatIsOnNoPathHasNone) {
  EXPECT_TRUE(cause_path(live, event_at(LaneKind::Kernels, 30)).empty());
  EXPECT_TRUE(cause_path(live, event_at(LaneKind::Calls, 0)).empty());
  EXPECT_TRUE(cause_path(live, event_at(LaneKind::Phases, 0)).empty());
}

// A second stream keeps the GPU busy during the gap of the first: the wait leaves no bubble, and the path shows none.
TEST_F(CauseTest, AWaitWithABusyGpuLeavesNoBubble) {
  trace::Trace busy;
  TraceBuilder b(busy);
  b.launch(0, 10, 1);
  b.launch(10, 20, 2);
  b.sync(20, 130, 5, 10);
  b.kernel(30, 120, 1);
  b.kernel(30, 400, 2, 1);
  b.publish();
  analysis::LiveAnalysis analysis(busy);
  analysis.update(1'000'000);
  analysis.finish();
  EventRef wait{0, 0, 2, busy.lane(0).row(0).event(2)};
  ASSERT_TRUE(trace::is_sync(wait.event));
  const CausePath path = cause_path(analysis, wait);
  EXPECT_TRUE(path.wait);
  ASSERT_TRUE(path.last_operation);
  EXPECT_EQ(path.last_operation->event.end_ns, 120);
  EXPECT_FALSE(path.bubble);
  EXPECT_FALSE(path.next_launch);
}

// It blocks the CPU, but found the GPU idle: it waits for nothing and needs no path.
TEST_F(CauseTest, ACopyThatWaitsForNothingIsOnNoPath) {
  trace::Trace copies;
  TraceBuilder b(copies);
  b.staging_copy(0, 100, 1);
  b.publish();
  analysis::LiveAnalysis analysis(copies);
  analysis.update(1'000'000);
  analysis.finish();
  const EventRef copy{0, 0, 0, copies.lane(0).row(0).event(0)};
  ASSERT_TRUE(trace::is_blocking(copy.event));
  EXPECT_TRUE(cause_path(analysis, copy).empty());
}

TEST_F(CauseTest, RepeatsCountTheLikeInTheStretch) {
  const CausePath path = cause_path(live, event_at(LaneKind::Calls, 20));
  const Repeats all = repeats_of(live, *path.bubble, 0, 1000);
  EXPECT_EQ(all.count, 1);
  EXPECT_EQ(all.total_ns, 50);
  EXPECT_EQ(all.over_ns, 1000);
  EXPECT_EQ(repeats_of(live, *path.bubble, 0, 220).count, 0);  // it starts at 220: not in [0,220)
}

TEST_F(CauseTest, ACallLightsItsWorkAndTheReverse) {
  const EventRef call = event_at(LaneKind::Calls, 10);
  const EventRef kernel = event_at(LaneKind::Kernels, 120);
  EXPECT_THAT(highlight_of(live.links(), call).runs,
              testing::ElementsAre(EventRun{kernel.lane, 0, kernel.index, kernel.index + 1}));
  EXPECT_THAT(highlight_of(live.links(), kernel).runs,
              testing::ElementsAre(EventRun{call.lane, 0, call.index, call.index + 1}));
}

// It waits until 220, when the second kernel ends: both are highlighted, the third is not.
TEST_F(CauseTest, AWaitLightsAllThatRanMeanwhile) {
  const Highlight highlight = highlight_of(live.links(), event_at(LaneKind::Calls, 20));
  EXPECT_TRUE(highlight.waited_for);
  ASSERT_EQ(highlight.runs.size(), 1u);
  EXPECT_EQ(highlight.runs[0].first, 0u);
  EXPECT_EQ(highlight.runs[0].last, 2u);
}

// "forward" [0,15) holds the starts of launches 1 and 2.
TEST_F(CauseTest, ARangeLightsWhatWasIssuedInIt) {
  const Highlight highlight = highlight_of(live.links(), event_at(LaneKind::Phases, 0));
  EXPECT_FALSE(highlight.waited_for);
  ASSERT_EQ(highlight.runs.size(), 1u);
  EXPECT_EQ(highlight.runs[0].first, 0u);
  EXPECT_EQ(highlight.runs[0].last, 2u);
}

TEST_F(CauseTest, LaunchesOfAStretchAreThinnedEvenly) {
  EXPECT_EQ(launches_in(live.links(), 0, 1000, 100).size(), 3u);
  EXPECT_EQ(launches_in(live.links(), 5, 1000, 100).size(), 2u);
  // Four calls start in [0,1000), so with a limit of two every second one is considered: launch 1, and the sync, which
  // is not a launch.
  const auto thinned = launches_in(live.links(), 0, 1000, 2);
  ASSERT_EQ(thinned.size(), 1u);
  EXPECT_EQ(thinned[0].operation.event.start_ns, 30);
}

// The wait lasts 195 ns, of which 195 - 10 are waiting, and the bubble after it 50 ns.
TEST_F(CauseTest, APathMattersIfItsBubbleOrItsWaitIsLongEnough) {
  const CausePath path = cause_path(live, event_at(LaneKind::Calls, 20));
  EXPECT_TRUE(matters(path, 195));
  EXPECT_FALSE(matters(path, 196));
  CausePath only_bubble = path;
  only_bubble.wait.reset();
  EXPECT_TRUE(matters(only_bubble, 50));
  EXPECT_FALSE(matters(only_bubble, 51));
  EXPECT_FALSE(matters({}, 0)) << "there is no path";
}

TEST(LeastThatMatters, IsAShareOfTheLoopButNoOrdinaryGap) {
  EXPECT_EQ(least_that_matters(0), kOrdinaryGap) << "no loop is known";
  EXPECT_EQ(least_that_matters(100'000), kOrdinaryGap) << "1 % is 1 us, which a full queue leaves, too";
  EXPECT_EQ(least_that_matters(2'000'000), 20'000);
}

}  // namespace
}  // namespace lanescope::ui
