#include "ui/links.h"

#include "analysis/random_trace.h"
#include "render/drawn.h"

namespace lanescope::ui {
namespace {

using trace::Event;
using trace::EventKind;

// All events with where they are.
std::vector<EventRef> all(const trace::Trace& trace) {
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
    analysis_test::RandomProgram(build, seed).write(80);
    build.publish();
    const std::vector<EventRef> events = all(trace);
    const auto with_correlation = [&](std::uint32_t correlation, bool gpu) {
      std::optional<EventRef> found;
      for (const EventRef& e : events) {
        const bool fits = gpu ? trace::is_gpu_work(e.event.kind) : e.event.kind == EventKind::Call;
        if (fits && correlation != 0 && e.event.correlation == correlation) found = e;
      }
      return found;
    };
    for (const EventRef& e : events) {
      if (e.event.kind == EventKind::Call) {
        const auto expected = with_correlation(e.event.correlation, true);
        // A call of no length at the very end of an operation of no length did not issue it in any real program.
        if (expected && expected->event.end_ns <= e.event.start_ns) continue;
        EXPECT_EQ(gpu_operation_of(trace, e.event), expected) << "seed " << seed;
        joined += expected ? 1 : 0;
      } else if (trace::is_gpu_work(e.event.kind)) {
        const auto expected = with_correlation(e.event.correlation, false);
        if (expected && expected->event.start_ns >= e.event.end_ns) continue;
        EXPECT_EQ(call_of(trace, e.event), expected) << "seed " << seed;
      }
      // What a wait waited for: of all that had ended when it began to return, the last.
      const auto found = waited_for(trace, e.event);
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
  const auto operation = gpu_operation_of(trace, trace.lane(build.lane(LaneKind::Calls)).row(0).event(0));
  ASSERT_TRUE(operation.has_value());
  EXPECT_EQ(operation->lane, kernels);
  EXPECT_EQ(operation->event.lane, kernels);
  EXPECT_EQ(operation->row, 1u);
  EXPECT_EQ(operation->index, 0u);
  const auto call = call_of(trace, operation->event);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->lane, build.lane(LaneKind::Calls));
  EXPECT_EQ(call->event.start_ns, 100);
}

TEST(Links, ThereAreNoneWithoutACorrelation) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.launch(100, 200, 0);
  build.kernel(300, 500, 0);
  build.launch(600, 700, 5);  // its operation has not come yet
  build.publish();
  for (const EventRef& e : all(trace)) {
    const bool call = e.event.kind == EventKind::Call;
    EXPECT_FALSE((call ? gpu_operation_of(trace, e.event) : call_of(trace, e.event)).has_value());
  }
}

// The search gives up after its limit: it must not cost more than a frame has.
TEST(Links, TheSearchIsBounded) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.launch(0, 1, 1000);
  for (std::uint32_t i = 0; i < 1000; ++i) build.kernel(10 + i, 11 + i, i + 1);
  build.publish();
  EXPECT_TRUE(gpu_operation_of(trace, build.events[0], 1000).has_value());
  EXPECT_FALSE(gpu_operation_of(trace, build.events[0], 999).has_value());
}

}  // namespace
}  // namespace lanescope::ui
