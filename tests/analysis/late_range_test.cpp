// During a run, the range of the program around a call is known only when it has ended.
#include <gtest/gtest.h>

#include "analysis/live_analysis.h"
#include "trace_builder.h"

namespace lanescope::analysis_test {
namespace {

// A range is written when it ends. That of the sync [60,160) arrives long after the gap [150,190) was closed, together
// with the range around it; and it is passed again when its iteration has ended.
TEST(LateRange, IsWrittenAfterTheGapItExplains) {
  trace::Trace trace;
  TraceBuilder t{trace};
  analysis::LiveAnalysis live(trace);
  const LaneId phases = t.lane(LaneKind::Phases, 0, "phase");
  for (Nanoseconds at = 0; at < 1200; at += 300) {
    const auto id = static_cast<std::uint32_t>(at / 300 * 2 + 1);
    t.launch(at, at + 5, id);
    t.kernel(at + 10, at + 150, id);
    t.sync(at + 60, at + 160, 1, 10);
    t.launch(at + 180, at + 185, id + 1);
    t.kernel(at + 190, at + 300, id + 1);
    t.publish_until(at + 240);
    live.update(at + 240);
    EXPECT_EQ(live.bubbles().back().start_ns, at + 150);
    EXPECT_EQ(live.bubbles().back().range, base::NameTable::kEmpty);
    t.add(phases, EventKind::Range, "step", at + 20, at + 270);
    t.add(phases, EventKind::Range, "print(loss)", at + 50, at + 250);
    t.add(phases, EventKind::Range, "format", at + 200, at + 210);
    if (at < 900) t.iteration(at, at + 295);
    t.publish_until(at + 300);
    live.update(at + 300);
  }
  t.launch(1200, 1205, 99);
  t.iteration(900, 1195);
  t.publish();
  live.update(2000);
  EXPECT_EQ(trace.names().text(live.bubbles()[1].range), "print(loss)");
  const analysis::Summary s = live.window(0, 1200);
  EXPECT_EQ(s.judged.sync_place, "print(loss)");
  EXPECT_EQ(s.judged.sync_place_ns, 4 * 40);
  EXPECT_EQ(live.records()[1].after_sync_at_ns[0], 2 * 40);
  live.finish();
  EXPECT_EQ(live.total().judged.sync_place_ns, 4 * 40);
}

// The statement is the synchronisation and nothing else, so both start together, and again the range comes later. The
// figures must not depend on where the analysis was when it looked.
TEST(LateRange, MayStartTogetherWithItsCall) {
  trace::Trace trace;
  TraceBuilder t{trace};
  analysis::LiveAnalysis live(trace);
  const LaneId phases = t.lane(LaneKind::Phases, 0, "phase");
  for (Nanoseconds at = 0; at < 900; at += 300) {
    const auto id = static_cast<std::uint32_t>(at / 300 * 2 + 1);
    t.launch(at, at + 5, id);
    t.kernel(at + 10, at + 150, id);
    t.sync(at + 60, at + 160, 1, 10);
    t.launch(at + 180, at + 185, id + 1);
    t.publish_until(at + 170);
    live.update(at + 170);  // the call is known, the gap [150,190) not yet closed
    t.add(phases, EventKind::Range, "synchronize()", at + 60, at + 160);
    t.kernel(at + 190, at + 300, id + 1);
    t.iteration(at, at + 295);
    t.publish_until(at + 300);
    live.update(at + 300);
  }
  live.finish();
  const analysis::Summary s = live.total();
  EXPECT_EQ(s.judged.sync_place, "synchronize()");
  EXPECT_EQ(s.judged.sync_place_ns, 3 * 40);
}

}  // namespace
}  // namespace lanescope::analysis_test
