// trace::Links on random programs and on hand-made traces.
#include "trace/links.h"

#include <gtest/gtest.h>

#include <optional>

#include "random_trace.h"

namespace lanescope::analysis_test {
namespace {

using trace::EventIndex;
using trace::EventRef;
using trace::Links;

// All events with their places.
std::vector<EventRef> all_linked(const trace::Trace& trace) {
  std::vector<EventRef> found;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto lane = static_cast<LaneId>(l);
    for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
      const trace::Row& row = trace.lane(lane).row(r);
      for (EventIndex i = row.first(); i < row.last(); ++i) {
        found.push_back({lane, r, i, row.event(i)});
        found.back().event.lane = lane;
      }
    }
  }
  return found;
}

TEST(Links, JoinCallsAndOperationsInRandomPrograms) {
  int joined = 0;
  int waits = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    trace::Trace trace;
    TraceBuilder build(trace);
    RandomProgram(build, seed).write(80);
    build.publish();
    Links links(trace);
    EXPECT_TRUE(links.update());
    const std::vector<EventRef> events = all_linked(trace);
    const auto with_correlation = [&](std::uint32_t correlation, bool gpu) {
      std::optional<EventRef> found;
      for (const EventRef& e : events) {
        const bool fits = gpu ? trace::is_gpu_work(e.event.kind) : e.event.kind == EventKind::Call;
        if (!fits || correlation == 0 || e.event.correlation != correlation) continue;
        if (!found || e.event.start_ns < found->event.start_ns) found = e;  // the first node of a graph
      }
      return found;
    };
    for (const EventRef& e : events) {
      if (e.event.kind == EventKind::Call) {
        const auto expected = with_correlation(e.event.correlation, true);
        // In a real program, a call of zero length at the very end of an operation of zero length did not issue it.
        if (expected && expected->event.end_ns <= e.event.start_ns) continue;
        EXPECT_EQ(links.operation_of(e), expected) << "seed " << seed;
        joined += expected ? 1 : 0;
      } else if (trace::is_gpu_work(e.event.kind)) {
        const auto expected = with_correlation(e.event.correlation, false);
        if (expected && expected->event.start_ns >= e.event.end_ns) continue;
        EXPECT_EQ(links.call_of(e), expected) << "seed " << seed;
      }
      // What a wait waited for: the last operation that had ended when it began to return.
      const auto found = links.waited_for(e);
      if (!trace::is_blocking(e.event)) {
        EXPECT_FALSE(found.has_value());
        continue;
      }
      const Nanoseconds woken = e.event.end_ns - trace::parts_of(e.event).returning;
      Nanoseconds last = e.event.start_ns;
      for (const EventRef& op : events) {
        const bool done = trace::is_gpu_work(op.event.kind) && op.event.end_ns <= woken;
        if (done) last = std::max(last, op.event.end_ns);
      }
      ASSERT_EQ(found.has_value(), last > e.event.start_ns) << "seed " << seed << " at " << e.event.start_ns;
      if (!found) continue;
      ++waits;
      EXPECT_EQ(found->event.end_ns, last);
      EXPECT_TRUE(trace::is_gpu_work(found->event.kind));
    }
  }
  EXPECT_GT(joined, 500);
  EXPECT_GT(waits, 100);
}

TEST(Links, SayWhereTheEventIs) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.launch(100, 200, 7);
  build.kernel(50, 400, 3);
  build.kernel(300, 500, 7);  // overlaps the first: a second sub-row
  build.publish();
  const LaneId kernels = build.lane(LaneKind::Kernels);
  Links links(trace);
  links.update();
  const LaneId calls = build.lane(LaneKind::Calls);
  const auto operation = links.operation_of(calls, trace.lane(calls).row(0).event(0));
  ASSERT_TRUE(operation.has_value());
  EXPECT_EQ(operation->lane, kernels);
  EXPECT_EQ(operation->event.lane, kernels);
  EXPECT_EQ(operation->row, 1u);
  EXPECT_EQ(operation->index, 0u);
  const auto call = links.call_of(*operation);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->lane, calls);
  EXPECT_EQ(call->event.start_ns, 100);
}

TEST(Links, ThereAreNoneWithoutACorrelation) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.launch(100, 200, 0);
  build.kernel(300, 500, 0);
  build.launch(600, 700, 5);  // its operation has not arrived yet
  build.publish();
  Links links(trace);
  links.update();
  for (const EventRef& e : all_linked(trace)) {
    const bool call = e.event.kind == EventKind::Call;
    EXPECT_FALSE((call ? links.operation_of(e) : links.call_of(e)).has_value());
  }
}

// The search gives up at its limit, because it must fit into a frame. The numbers alternate, so that no stretch of the
// row can be skipped; the target is the 1000th.
TEST(Links, TheSearchIsBounded) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.launch(0, 1, 1000);
  for (std::uint32_t i = 0; i < 1000; ++i) build.kernel(10 + i, 11 + i, i % 2 == 1 ? i + 1 : 5000 - i);
  build.publish();
  Links links(trace);
  links.update();
  const LaneId calls = build.lane(LaneKind::Calls);
  EXPECT_TRUE(links.operation_of(calls, build.events[0], 1000).has_value());
  EXPECT_FALSE(links.operation_of(calls, build.events[0], 999).has_value());
}

}  // namespace
}  // namespace lanescope::analysis_test
