// One complete run, driven like in the window: settings, pause, speed, stop. Nothing here sleeps; every wait is for a
// condition, with a deadline.
#include "experiment/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "base/error.h"

namespace lanescope::session {
namespace {

using base::kMillisecond;
using base::Nanoseconds;
using trace::LaneId;
using trace::LaneKind;
using Clock = std::chrono::steady_clock;

[[nodiscard]] bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

SessionOptions options_of(const char* workload, std::uint64_t iterations, bool paced) {
  SessionOptions options;
  options.workload = workload;
  options.device = "sim:teaching";
  options.iterations = iterations;
  options.paced = paced;
  return options;
}

// All events of the lanes of one kind, oldest first.
std::vector<trace::Event> events_of(const trace::Trace& trace, LaneKind kind) {
  const trace::Trace::ReadLock lock(trace);
  std::vector<trace::Event> events;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (lane.info().kind != kind) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      for (trace::EventIndex i = lane.row(r).first(); i < lane.row(r).last(); ++i)
        events.push_back(lane.row(r).event(i));
    }
  }
  return events;
}

TEST(Session, RunsToItsEndAndHasRecordedEverything) {
  Session session(options_of("linear-mse", 25, false));
  EXPECT_EQ(session.runner().iterations_done(), 0u);
  session.start();
  session.wait();
  EXPECT_EQ(session.runner().error(), "");
  EXPECT_FALSE(session.runner().running());
  EXPECT_EQ(session.runner().iterations_done(), 25u);
  const auto iterations = events_of(session.trace(), LaneKind::Iterations);
  ASSERT_EQ(iterations.size(), 25u);
  EXPECT_EQ(iterations.front().start_ns, session.runner().started_ns());
  EXPECT_EQ(trace::index_of(iterations.back()), 24u);
  EXPECT_GE(session.runner().ended_ns(), iterations.back().end_ns);
  EXPECT_EQ(session.trace().counts().dropped, 0u);
  EXPECT_EQ(session.live_edge_ns(), session.trace().complete_until());
}

TEST(Session, KnowsWhatItRuns) {
  SessionOptions options = options_of("iris-mlp", 1, false);
  options.assignments = {"log_interval=5", "log_interval=7", "pinned=true"};
  const Session session(options);
  EXPECT_EQ(session.workload().name, "iris-mlp");
  EXPECT_EQ(session.device().id, "sim:teaching");
  EXPECT_TRUE(session.device().simulated);
  EXPECT_EQ(session.settings().integer("log_interval"), 7);
  EXPECT_TRUE(session.settings().boolean("pinned"));
  EXPECT_EQ(session.settings().integer("batch_size"), 120);
}

TEST(Session, SaysWhatIsWrongBeforeItRuns) {
  SessionOptions options = options_of("linear-mse", 1, false);
  options.workload = "nothing";
  EXPECT_THROW(Session{options}, base::UsageError);
  options = options_of("linear-mse", 1, false);
  options.device = "sim:nothing";
  EXPECT_THROW(Session{options}, base::UsageError);
  options.device = "sim:nothing.toml";
  EXPECT_THROW(Session{options}, base::FileError);
  options = options_of("linear-mse", 1, false);
  options.assignments = {"batch_size=0"};
  EXPECT_THROW(Session{options}, base::UsageError);
}

// The setting changes during iteration `before` or a later one, at the latest during iteration `after`; the marker is
// at the start of the next iteration.
TEST(Session, AChangedSettingActsAtTheNextIterationAndLeavesAMarker) {
  Session session(options_of("linear-mse", 0, true));
  session.start();
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 3; }));
  EXPECT_TRUE(events_of(session.trace(), LaneKind::Markers).empty());
  const std::uint64_t before = session.runner().iterations_done();
  session.set("log_interval", std::int64_t{100});
  const std::uint64_t after = session.runner().iterations_done();
  EXPECT_EQ(session.settings().integer("log_interval"), 100);
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= after + 3; }));
  session.stop();

  const auto markers = events_of(session.trace(), LaneKind::Markers);
  ASSERT_EQ(markers.size(), 1u);
  EXPECT_EQ(session.trace().names().text(markers[0].name), "log interval 1 → 100");
  std::uint64_t next = 0;
  for (const trace::Event& iteration : events_of(session.trace(), LaneKind::Iterations)) {
    if (iteration.start_ns < markers[0].start_ns) next = trace::index_of(iteration) + 1;
    if (trace::index_of(iteration) == next && iteration.start_ns >= markers[0].start_ns) {
      EXPECT_EQ(iteration.start_ns, markers[0].start_ns);
    }
  }
  EXPECT_GE(next, before);
  EXPECT_LE(next, after + 1);
}

TEST(Session, ASettingOutOfRangeChangesNothing) {
  Session session(options_of("linear-mse", 0, true));
  session.start();
  EXPECT_THROW(session.set("batch_size", std::int64_t{0}), base::UsageError);
  EXPECT_THROW(session.set("nothing", true), base::UsageError);
  EXPECT_EQ(session.settings().integer("batch_size"), 128);
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 2; }));
  session.stop();
  EXPECT_TRUE(events_of(session.trace(), LaneKind::Markers).empty());
}

TEST(Session, APausedRunStandsStillAndGoesOn) {
  Session session(options_of("linear-mse", 0, true));
  session.start();
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 2; }));
  session.pacer().pause(true);
  EXPECT_TRUE(session.pacer().paused());
  const Nanoseconds stood = session.pacer().now_ns();
  // The call in progress may still be recorded; then nothing moves.
  for (int look = 0; look < 100'000; ++look) ASSERT_EQ(session.pacer().now_ns(), stood);
  const std::uint64_t done = session.runner().iterations_done();
  EXPECT_LE(session.live_edge_ns(), stood);
  session.pacer().pause(false);
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= done + 2; }));
  EXPECT_GT(session.pacer().now_ns(), stood);
}

TEST(Session, StopsWhilePaused) {
  Session session(options_of("linear-mse", 0, true));
  session.pacer().pause(true);
  session.start();
  session.stop();
  EXPECT_FALSE(session.runner().running());
  const std::uint64_t done = session.runner().iterations_done();
  session.wait();
  session.stop();
  EXPECT_EQ(session.runner().iterations_done(), done);
  EXPECT_EQ(events_of(session.trace(), LaneKind::Iterations).size(), done);
}

TEST(Session, EndsWithItsObjectWhileRunningOrPausedOrNeverStarted) {
  { const Session never_started(options_of("linear-mse", 0, true)); }
  {
    Session running(options_of("iris-mlp", 0, false));
    running.start();
    ASSERT_TRUE(comes_true([&] { return running.runner().iterations_done() >= 1; }));
  }
  {
    Session paused(options_of("linear-mse", 0, true));
    paused.start();
    ASSERT_TRUE(comes_true([&] { return paused.runner().iterations_done() >= 1; }));
    paused.pacer().pause(true);
  }
}

// At a hundredth of the wall clock's speed 1 ms takes 100 ms on any machine, less the 20 ms by which a simulation that
// has fallen behind may catch up; at the wall clock's own speed 40 ms take 40 ms, less the same.
TEST(Session, IsNeverFasterThanItsSpeed) {
  SessionOptions options = options_of("linear-mse", 0, true);
  options.speed = 0.01;
  Session session(options);
  session.start();
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 1; }));  // preparing is not paced
  const auto wall_for = [&](Nanoseconds virtual_ns) {
    const Clock::time_point start = Clock::now();
    const Nanoseconds from = session.pacer().now_ns();
    EXPECT_TRUE(comes_true([&] { return session.pacer().now_ns() >= from + virtual_ns; }));
    return Clock::now() - start;
  };
  EXPECT_GE(wall_for(kMillisecond), std::chrono::milliseconds(80));
  session.pacer().set_speed(1);
  EXPECT_EQ(session.pacer().speed(), 1);
  EXPECT_GE(wall_for(40 * kMillisecond), std::chrono::milliseconds(20));
}

TEST(Session, TheLiveEdgeOnlyMovesForwardAndIsNeverBeyondWhatIsKnown) {
  Session session(options_of("linear-mse", 0, true));
  session.start();
  Nanoseconds last = std::numeric_limits<Nanoseconds>::min();
  ASSERT_TRUE(comes_true([&] {
    const Nanoseconds edge = session.live_edge_ns();
    EXPECT_GE(edge, last);
    EXPECT_LE(edge, session.trace().complete_until());
    last = edge;
    return session.runner().iterations_done() >= 20;
  }));
}

// What holds an unpaced run back: it stops there until released.
TEST(Session, HoldBackKeepsTheWorkload) {
  std::atomic<bool> held{false}, go{false};
  SessionOptions options = options_of("linear-mse", 10, false);
  options.hold_back = [&](const trace::Trace&) {
    held.store(true);
    held.notify_all();
    go.wait(false);
  };
  Session session(options);
  session.start();
  held.wait(false);
  EXPECT_TRUE(session.runner().running());
  EXPECT_EQ(session.runner().iterations_done(), 0u);
  go.store(true);
  go.notify_all();
  session.wait();
  EXPECT_EQ(session.runner().iterations_done(), 10u);
}

// As in the window: one thread reads and changes settings while the workload and the capture run. For ThreadSanitizer.
TEST(Session, IsReadAndSteeredWhileItRuns) {
  SessionOptions options = options_of("iris-mlp", 0, true);
  options.memory_cap_bytes = std::size_t{16} << 20;
  Session session(options);
  session.start();
  std::uint64_t turned = 0, seen = 0;
  ASSERT_TRUE(comes_true([&] {
    session.set("log_interval", static_cast<std::int64_t>(++turned % 5));
    session.set("pinned", turned % 2 == 0);
    session.pacer().set_speed(turned % 3 == 0 ? 2.0 : 1.0);
    session.pacer().pause(turned % 7 == 0);
    seen += events_of(session.trace(), LaneKind::Calls).size();
    EXPECT_LE(session.live_edge_ns(), session.trace().complete_until());
    EXPECT_EQ(session.recorder().health().dropped, 0u);
    (void)session.runner().last_loss();
    return session.runner().iterations_done() >= 50 && turned >= 50 && seen > 0;
  }));
  session.pacer().pause(false);
  session.stop();
  EXPECT_EQ(session.runner().error(), "");
  EXPECT_FALSE(events_of(session.trace(), LaneKind::Markers).empty());
}

// What a build without threads does.

TEST(Session, InTurnsRecordsWhatARunOnItsOwnThreadRecords) {
  SessionOptions options = options_of("iris-mlp", 40, false);
  Session usual(options);
  usual.start();
  usual.wait();
  options.in_turns = true;
  Session in_turns(options);
  in_turns.start();
  EXPECT_EQ(in_turns.runner().iterations_done(), 0u);
  while (in_turns.runner().running()) in_turns.advance(Clock::now());  // one iteration at a time
  in_turns.wait();
  EXPECT_EQ(in_turns.runner().error(), "");
  EXPECT_EQ(in_turns.trace().counts().recorded, usual.trace().counts().recorded);
  for (const LaneKind kind : {LaneKind::Iterations, LaneKind::Calls, LaneKind::Kernels, LaneKind::Counter}) {
    const auto one = events_of(usual.trace(), kind), other = events_of(in_turns.trace(), kind);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].start_ns, other[i].start_ns);
      EXPECT_EQ(one[i].end_ns, other[i].end_ns);
    }
  }
}

TEST(Session, InTurnsTheVirtualClockLeads) {
  SessionOptions options = options_of("linear-mse", 0, true);
  options.in_turns = true;
  Session session(options);
  session.start();
  session.pacer().pause(true);
  session.advance(Clock::now() + std::chrono::seconds(5));  // sets up, which is not paced, and then has nothing to do
  const std::uint64_t none = session.runner().iterations_done();
  EXPECT_EQ(none, 0u);
  session.pacer().pause(false);
  ASSERT_TRUE(comes_true([&] {
    session.advance(Clock::now() + std::chrono::milliseconds(1));
    return session.runner().iterations_done() >= 20;
  }));
  // What was simulated ahead of the clock is not shown yet.
  const base::Nanoseconds shown = session.live_edge_ns();
  EXPECT_LE(shown, session.pacer().now_ns());
  session.set("log_interval", std::int64_t{7});
  const std::uint64_t done = session.runner().iterations_done();
  ASSERT_TRUE(comes_true([&] {
    session.advance(Clock::now() + std::chrono::milliseconds(1));
    return session.runner().iterations_done() > done + 1;
  }));
  EXPECT_EQ(events_of(session.trace(), LaneKind::Markers).size(), 1u);
  session.stop();
  EXPECT_FALSE(session.runner().running());
}

}  // namespace
}  // namespace lanescope::session
