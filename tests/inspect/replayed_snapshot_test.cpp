// An iteration as it is replayed, as a run that can be drawn.
#include <gtest/gtest.h>

#include <vector>

#include "analysis/trace_builder.h"
#include "inspect/run_snapshot.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;

std::vector<std::pair<Nanoseconds, Nanoseconds>> events_on(const trace::Trace& trace, trace::LaneKind kind) {
  std::vector<std::pair<Nanoseconds, Nanoseconds>> found;
  for (trace::LaneId id = 0; id < trace.lane_count(); ++id) {
    const trace::Row& row = trace.lane(id).row(0);
    if (trace.lane(id).info().kind != kind) continue;
    for (auto i = row.first(); i < row.last(); ++i) found.emplace_back(row.start(i), row.end(i));
  }
  return found;
}

// Iterations of 10,000: a launch from 0 to 100 whose kernel runs from 500 to 1,500, and item() with a synchronisation
// from 200 to 1,700 (its own cost 20; it waits until 1,600, and returns 100 later), then 8,300 of other CPU work.
// Without the wait the synchronisation takes its own 20, and the iteration 10,000 - 1,480 = 8,520.
TEST(ReplayedSnapshot, EverythingBehindAWaitThatGoesMoves) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (Nanoseconds at = 40'000; at < 140'000; at += 10'000) {
    build.iteration(at, at + 10'000);
    build.kernel({at, at + 100}, {at + 500, at + 1'500});
    build.range("item()", at + 150, at + 1'750);
    build.sync(at + 200, at + 1'700, 20, 100);
    build.range("later", at + 5'000, at + 9'000);
  }
  build.publish();
  const analysis::Replay replay(trace, 40'000, 140'000);
  const std::vector<analysis::Edit> edits{analysis::parse_edit("no-wait:item()")};
  const auto iteration = replay.iteration(edits, {});
  ASSERT_TRUE(iteration);
  const SharedSnapshot run = replayed_snapshot(trace, *iteration, "no-wait:item()");
  EXPECT_EQ(run->label, "no-wait:item()");
  ASSERT_EQ(run->iterations.size(), 1u);
  EXPECT_EQ(run->iterations[0], (IterationSpan{40'000, 48'520}));
  using Spans = std::vector<std::pair<Nanoseconds, Nanoseconds>>;
  EXPECT_EQ(events_on(*run->trace, trace::LaneKind::Kernels), (Spans{{40'500, 41'500}}));
  EXPECT_EQ(events_on(*run->trace, trace::LaneKind::Calls), (Spans{{40'000, 40'100}, {40'200, 40'220}}));
  EXPECT_EQ(events_on(*run->trace, trace::LaneKind::Phases), (Spans{{40'150, 40'270}, {43'520, 47'520}}));
}

}  // namespace
}  // namespace lanescope::ui
