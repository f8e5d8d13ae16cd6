// A whole run on a GPU, from the loaded back end to the trace. The back end is the fake one, in a separate library.
#include "experiment/session.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "base/error.h"

namespace lanescope::session {
namespace {

using base::Nanoseconds;
using trace::LaneKind;

/// A driver that is already loaded is found by its name, and the search is made once per process.
class Machine : public testing::Environment {
 public:
  void SetUp() override {
    ASSERT_NE(dlopen(LANESCOPE_FAKES "/driver/libcuda.so.1", RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    setenv("LANESCOPE_CUDA", LANESCOPE_FAKES "/backend/liblanescope_cuda.so", 1);
    setenv("LANESCOPE_FAKE_GPUS", "9.0,8.6", 1);
    setenv("LANESCOPE_FAKE_FAIL", "event_record:1:700", 1);  // called only by the test of a lost device
  }
};
const testing::Environment* const kMachine = testing::AddGlobalTestEnvironment(new Machine);

SessionOptions options_of(const char* workload, std::uint64_t iterations) {
  SessionOptions options;
  options.workload = workload;
  options.device = "cuda:1";
  options.iterations = iterations;
  options.paced = false;
  return options;
}

[[nodiscard]] bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

std::vector<trace::Event> events_of(const trace::Trace& trace, LaneKind kind) {
  const trace::Trace::ReadLock lock(trace);
  std::vector<trace::Event> events;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != kind) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      for (trace::EventIndex i = lane.row(r).first(); i < lane.row(r).last(); ++i) {
        events.push_back(lane.row(r).event(i));
      }
    }
  }
  return events;
}

TEST(GpuSession, AutoIsTheGpu) {
  EXPECT_EQ(device::why_no_gpu(), "");
  SessionOptions options = options_of("iris-mlp", 1);
  options.device = "auto";
  const Session session(options);
  EXPECT_EQ(session.device().id, "cuda:0");
  EXPECT_EQ(session.settings().real("dispatch_us"), 0);
  EXPECT_EQ(device::catalogue().size(), 13u);
}

TEST(GpuSession, TrainsAndRecordsToTheEnd) {
  std::optional<double> losses[2];
  for (const char* id : {"cuda:1", "sim:teaching"}) {
    SessionOptions options = options_of("iris-mlp", 200);
    options.device = id;
    Session session(options);
    session.start();
    session.wait();
    EXPECT_EQ(session.runner().error(), "");
    EXPECT_FALSE(session.device_lost());
    losses[session.device().simulated] = session.runner().last_loss();
    EXPECT_EQ(events_of(session.trace(), LaneKind::Iterations).size(), 200u);
    EXPECT_EQ(session.trace().counts().dropped, 0u);
    EXPECT_LE(session.live_edge_ns(), session.now_ns());
    EXPECT_GE(session.live_edge_ns(), events_of(session.trace(), LaneKind::Iterations).back().end_ns);
    const trace::CaptureState state = session.capture_health().state;
    EXPECT_EQ(state, session.device().simulated ? trace::CaptureState::None : trace::CaptureState::Running);
    EXPECT_TRUE(session.open_calls().empty());
  }
  ASSERT_TRUE(losses[0]);
  EXPECT_EQ(losses[0], losses[1]);
}

// Pacing cannot hold a real clock: neither speed nor `paced` makes a difference, but a pause does.
TEST(GpuSession, APauseStandsBetweenIterationsAndIsMarked) {
  for (const bool paced : {true, false}) {
    SessionOptions options = options_of("iris-mlp", 0);
    options.paced = paced;
    options.speed = 1e-6;
    Session session(options);
    session.start();
    ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 3; }));
    session.pacer().pause(true);
    ASSERT_TRUE(comes_true([&] { return events_of(session.trace(), LaneKind::Markers).size() == 1; }));
    EXPECT_EQ(session.trace().names().text(events_of(session.trace(), LaneKind::Markers)[0].name), "paused");
    const std::uint64_t stood = session.runner().iterations_done();
    const Nanoseconds then = session.now_ns();
    ASSERT_TRUE(comes_true([&] { return session.now_ns() > then + 20 * base::kMillisecond; }));
    EXPECT_EQ(session.runner().iterations_done(), stood);
    EXPECT_LT(session.live_edge_ns(), session.now_ns() - 20 * base::kMillisecond);
    session.pacer().pause(false);
    ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= stood + 3; }));
    session.pacer().pause(true);
    session.stop();
    EXPECT_EQ(session.runner().error(), "");
  }
}

TEST(GpuSession, TheLiveEdgeFollowsTheRun) {
  Session session(options_of("iris-mlp", 0));
  session.start();
  Nanoseconds last = session.live_edge_ns();
  for (int step = 0; step < 10; ++step) {
    ASSERT_TRUE(comes_true([&] { return session.live_edge_ns() > last + base::kMillisecond; }));
    last = session.live_edge_ns();
    EXPECT_LE(last, session.now_ns());
  }
}

TEST(GpuSession, AGpuThatIsNotThereSaysSo) {
  SessionOptions options = options_of("iris-mlp", 1);
  options.device = "cuda:7";
  EXPECT_THROW(Session{options}, base::UsageError);
}

// The pinned buffers of non-blocking copies are what records events.
TEST(GpuSession, ALostDeviceEndsTheRunKeepsTheTraceAndIsRestarted) {
  SessionOptions options = options_of("iris-mlp", 0);
  options.device = "cuda:0";
  Session session(options);
  session.start();
  ASSERT_TRUE(comes_true([&] { return session.runner().iterations_done() >= 5; }));
  EXPECT_FALSE(session.device_lost());
  session.set("feed", workload::Value(std::string("per-iteration")));
  session.set("pinned", true);
  session.set("non_blocking", true);
  ASSERT_TRUE(comes_true([&] { return !session.runner().running(); }));
  session.wait();
  EXPECT_TRUE(session.device_lost());
  EXPECT_EQ(session.runner().error(),
            "cudaEventRecord failed: cudaErrorIllegalAddress (700): an illegal memory access was encountered; the "
            "device is lost until it is restarted");
  EXPECT_GE(events_of(session.trace(), LaneKind::Iterations).size(), 5u);
  EXPECT_GE(session.live_edge_ns(), events_of(session.trace(), LaneKind::Iterations).back().end_ns);

  options.iterations = 20;
  options.assignments = {"feed=per-iteration", "pinned=true", "non_blocking=true"};
  Session again(options);
  again.start();
  again.wait();
  EXPECT_EQ(again.runner().error(), "");
  EXPECT_EQ(again.runner().iterations_done(), 20u);
}

}  // namespace
}  // namespace lanescope::session
