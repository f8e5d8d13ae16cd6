// During a run, the range of the program around a call is known only when it has ended.
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis_test {
namespace {

class LateRange : public TraceTest {
 protected:
  LateRange() { t.lane(LaneKind::Phases); }  // before the lane of the calls
  /// Of an iteration of 300: a kernel until 150 that is waited for until 160.
  void read(Nanoseconds at) {
    t.kernel({at, at + 5}, {at + 10, at + 150});
    t.sync(at + 60, at + 160, 1, 10);
  }
  void update(Nanoseconds until) {
    t.publish_until(until);
    live.update(until);
  }

  analysis::LiveAnalysis live{trace};
};

// A range is written when it ends. That of the sync [60,160) arrives long after the gap [150,190) was closed, together
// with the range around it; and it is passed again when its iteration has ended.
TEST_F(LateRange, IsWrittenAfterTheGapItExplains) {
  for (Nanoseconds at = 0; at < 1200; at += 300) {
    read(at);
    t.kernel({at + 180, at + 185}, {at + 190, at + 300});
    update(at + 240);
    EXPECT_EQ(live.bubbles().back().start_ns, at + 150);
    EXPECT_EQ(live.bubbles().back().range, base::NameTable::kEmpty);
    t.range("step", at + 20, at + 270);
    t.range("print(loss)", at + 50, at + 250);
    t.range("format", at + 200, at + 210);
    if (at < 900) t.iteration(at, at + 295);
    update(at + 300);
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

// Before the loop a compiler tries its kernels out, each in a range of its own. There is room for the loop's all the
// same.
TEST(SyncPlaces, ThoseOfTheStartUpMakeRoom) {
  trace::Trace trace;
  TraceBuilder t(trace);
  const auto wait_in = [&](const std::string& range, Nanoseconds at) {
    t.range(range, at + 50, at + 165);
    t.kernel({at, at + 5}, {at + 10, at + 150});
    t.sync(at + 60, at + 160, 1, 10);
  };
  for (int i = 0; i < 20; ++i) wait_in(std::to_string(i), 300 * i);
  for (Nanoseconds at = 6000; at < 9000; at += 300) {
    t.iteration(at, at + 300);
    wait_in("float(loss)", at);
  }
  t.publish();
  EXPECT_EQ(analysis::analyse(trace, 0, 9000).judged.sync_place, "float(loss)");
}

// The statement is the synchronisation and nothing else, so both start together, and again the range comes later. The
// figures must not depend on where the analysis was when it looked.
TEST_F(LateRange, MayStartTogetherWithItsCall) {
  std::uint32_t next = 0;
  for (Nanoseconds at = 0; at < 900; at += 300) {
    read(at);
    t.launch(at + 180, at + 185, ++next);
    update(at + 170);  // the call is known, the gap [150,190) not yet closed
    t.range("synchronize()", at + 60, at + 160);
    t.kernel(at + 190, at + 300, next);
    t.iteration(at, at + 295);
    update(at + 300);
  }
  live.finish();
  const analysis::Summary s = live.total();
  EXPECT_EQ(s.judged.sync_place, "synchronize()");
  EXPECT_EQ(s.judged.sync_place_ns, 3 * 40);
}

}  // namespace
}  // namespace lanescope::analysis_test
