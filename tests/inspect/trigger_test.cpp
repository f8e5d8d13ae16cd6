#include "inspect/trigger.h"

#include <gmock/gmock.h>

#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TriggerTest : public testing::Test {
 protected:
  std::vector<Nanoseconds> all(const TriggerSettings& settings, std::size_t most = 100) {
    return newest_triggers(trace, settings, 0, kAllKnown, most);
  }
  static TriggerSettings on_name(const char* name) {
    TriggerSettings s;
    s.source = TriggerSource::Name;
    s.name = name;
    return s;
  }
  static TriggerSettings on_wait(Nanoseconds over) {
    TriggerSettings s;
    s.source = TriggerSource::LongWait;
    s.wait_over_ns = over;
    return s;
  }

  trace::Trace trace;
  TraceBuilder build{trace};
};

TEST_F(TriggerTest, FiresAtTheStartOfEachIterationWithinTheBounds) {
  for (const Nanoseconds t : {100, 200, 300, 400}) build.iteration(t, t + 90);
  build.publish();
  EXPECT_THAT(all({}), ElementsAre(100, 200, 300, 400));
  EXPECT_THAT(newest_triggers(trace, {}, 200, 300, 9), ElementsAre(200, 300));  // both ends belong to it
  EXPECT_THAT(newest_triggers(trace, {}, 201, 299, 9), IsEmpty());
  EXPECT_THAT(all({}, 2), ElementsAre(300, 400));
  EXPECT_EQ(newest_trigger(trace, {}, 0, 399), 300);
  EXPECT_EQ(newest_trigger(trace, {}, 0, 99), std::nullopt);
}

// Bursts [150, 450) and [1000, 1400), iterations every 100: the last picture of 250 that is recorded whole begins at
// 1100, and those between the bursts do not fire.
TEST_F(TriggerTest, InBurstsAnIterationThatIsRecordedFires) {
  for (Nanoseconds t = 100; t <= 2000; t += 100) build.iteration(t, t + 90);
  const std::int64_t pid = trace.lane(0).info().pid;
  trace.begin_recorded(pid, 150);
  trace.end_recorded(pid, 450);
  trace.begin_recorded(pid, 1000);
  trace.end_recorded(pid, 1400);
  build.publish();
  EXPECT_THAT(all({}), testing::SizeIs(20)) << "not by a clock, such as when only waits are watched";
  trace.change_recording({trace::RecordingChange::Act::Bursts, pid, 40, 850});
  EXPECT_EQ(burst_period(trace), 850);
  EXPECT_THAT(all({}), ElementsAre(200, 300, 400, 1000, 1100, 1200, 1300));

  TriggerWatch watch;
  watch.look(trace, {}, 2000);
  EXPECT_EQ(watch.newest_until(2000), 1300);
  EXPECT_EQ(watch.newest_until(2000, trace, 250), 1100);
  EXPECT_EQ(watch.newest_until(999, trace, 250), 200);
  EXPECT_EQ(watch.newest_until(2000, trace, 5000), 1300) << "none is: the newest";
}

TEST_F(TriggerTest, ANameIsLookedForAmongCallsRangesAndKernelsOfAllThreads) {
  build.call("cudaMalloc", 10, 20);
  build.launch(30, 40, 1);
  build.call("cudaMalloc", 25, 28, 0, 1);
  build.add(build.lane(LaneKind::Phases), trace::EventKind::Range, "item()", 50, 60);
  build.kernel(70, 80);
  build.publish();
  EXPECT_THAT(all(on_name("cudaMalloc")), ElementsAre(10, 25));
  EXPECT_THAT(all(on_name("item()")), ElementsAre(50));
  EXPECT_THAT(all(on_name("kernel")), ElementsAre(70));
  EXPECT_THAT(all(on_name("cudaFree")), IsEmpty());
  EXPECT_THAT(all(on_name("")), IsEmpty());
}

// Waiting excludes own cost and return: 300 - 10 - 20 = 270.
TEST_F(TriggerTest, ALongWaitCountsTheWaitingPartOnly) {
  build.sync(1000, 1300, 10, 20);
  build.call("cudaMalloc", 2000, 5000);  // takes long, and waits for nothing
  build.host_wait(6000, 6300);
  build.publish();
  EXPECT_THAT(all(on_wait(269)), ElementsAre(1000, 6000));
  EXPECT_THAT(all(on_wait(270)), ElementsAre(6000));
  EXPECT_THAT(all(on_wait(299)), ElementsAre(6000));
  EXPECT_THAT(all(on_wait(300)), IsEmpty());
}

// One wait among 5,000 calls: the rows' sums skip the others, so a small limit is enough.
TEST_F(TriggerTest, ARareWaitIsFoundFarBack) {
  for (Nanoseconds i = 0; i < 5000; ++i) {
    if (i == 700)
      build.sync(i * 100, i * 100 + 90, 1, 1);
    else
      build.launch(i * 100, i * 100 + 90, 0);
  }
  build.publish();
  EXPECT_THAT(newest_triggers(trace, on_wait(50), 0, kAllKnown, 5, 200), ElementsAre(70'000));
}

TEST_F(TriggerTest, TheLimitBoundsHowFarItLooksBack) {
  build.call("cudaMalloc", 10, 20);
  for (Nanoseconds i = 1; i <= 100; ++i) build.launch(i * 100, i * 100 + 50, 0);
  build.publish();
  EXPECT_THAT(newest_triggers(trace, on_name("cudaMalloc"), 0, kAllKnown, 5, 100), IsEmpty());
  EXPECT_THAT(newest_triggers(trace, on_name("cudaMalloc"), 0, kAllKnown, 5, 101), ElementsAre(10));
}

// Three calls per iteration. If the hold-off is longer than the burst, the first one fires, wherever the search starts;
// 40 is not longer than the gap from 100 to 140.
TEST_F(TriggerTest, TheHoldOffLetsTheFirstOfABurstFire) {
  for (const Nanoseconds t : {1000, 2000, 3000}) {
    for (const Nanoseconds in : {0, 100, 140}) build.call("cudaMalloc", t + in, t + in + 10);
  }
  build.publish();
  TriggerSettings settings = on_name("cudaMalloc");
  settings.hold_off_ns = 40;
  EXPECT_EQ(all(settings).size(), 9u);
  settings.hold_off_ns = 60;
  EXPECT_THAT(all(settings), ElementsAre(1000, 1100, 2000, 2100, 3000, 3100));
  settings.hold_off_ns = 500;
  EXPECT_THAT(all(settings), ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(all(settings, 1), ElementsAre(3000));
  EXPECT_EQ(newest_trigger(trace, settings, 0, 3120), 3000);
}

// A single endless burst: it counts from the first event examined.
TEST_F(TriggerTest, AHoldOffLongerThanEveryGap) {
  for (const Nanoseconds t : {100, 200, 300, 400, 500, 600}) build.iteration(t, t + 90);
  build.publish();
  TriggerSettings settings;
  settings.hold_off_ns = 250;
  EXPECT_THAT(all(settings), ElementsAre(100, 400));
}

TEST_F(TriggerTest, TheWatchKeepsItsPhaseAsTheRunGoesOn) {
  TriggerSettings settings;
  settings.hold_off_ns = 250;
  TriggerWatch watch;
  for (Nanoseconds t = 100; t <= 1000; t += 100) {
    build.iteration(t, t + 90);
    build.publish_until(t + 90);
    watch.look(trace, settings, t);
  }
  EXPECT_THAT(watch.fired(), ElementsAre(100, 400, 700, 1000));
  EXPECT_EQ(watch.newest_until(999), 700);
  EXPECT_EQ(watch.newest_until(99), std::nullopt);
  watch.look(trace, settings, 500);  // a wider view: known triggers are kept
  EXPECT_EQ(watch.fired().size(), 4u);
  watch.look(trace, settings, 50);
  EXPECT_THAT(watch.fired(), IsEmpty());
}

TEST_F(TriggerTest, TheNamesThatOneCanChooseFrom) {
  build.iteration(0, 100);
  build.launch(0, 10, 1);
  build.launch(20, 30, 2);
  build.call("cudaMalloc", 40, 50);
  build.add(build.lane(LaneKind::Phases), trace::EventKind::Range, "item()", 50, 60);
  build.kernel(70, 80);
  build.loss(90, 1);
  build.publish();
  EXPECT_THAT(trigger_names(trace),
              ElementsAre(TriggerName{LaneKind::Calls, "cudaLaunchKernel"}, TriggerName{LaneKind::Calls, "cudaMalloc"},
                          TriggerName{LaneKind::Phases, "item()"}, TriggerName{LaneKind::Kernels, "kernel"}));
}

TEST(TriggerTextTest, SaysWhatItWaitsFor) {
  TriggerSettings settings;
  EXPECT_EQ(trigger_text(settings), "iteration start");
  settings.source = TriggerSource::LongWait;
  settings.wait_over_ns = 5'000'000;
  EXPECT_EQ(trigger_text(settings), "wait > 5 ms");
  EXPECT_EQ(no_trigger_text(settings), "no wait longer than 5 ms");
  settings.source = TriggerSource::Name;
  settings.name = "item()";
  EXPECT_EQ(trigger_text(settings), "item()");
}

TEST(TriggerTextTest, StepsAreOneTwoFive) { EXPECT_THAT(time_steps(20, 500), ElementsAre(20, 50, 100, 200, 500)); }

}  // namespace
}  // namespace lanescope::ui
