#include "inspect/neighbours.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "inspect/owner_text.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneKind;

// Thread 1: iteration [0,1000) with the operators "linear" [100,500) and in it "addmm" [100,500), which launches [120,
// 130). "relu" [500,600) begins where they end. Thread 2 has "other" [0,1000).
class EnclosingTest : public testing::Test {
 protected:
  EnclosingTest() {
    const auto ops = t.lane(LaneKind::Phases, 1, "operators");
    t.add(t.lane(LaneKind::Iterations, 1), EventKind::Range, "iteration", 0, 1000);
    t.add(ops, EventKind::Range, "linear", 100, 500);
    t.add(ops, EventKind::Range, "addmm", 100, 500);
    t.add(ops, EventKind::Range, "relu", 500, 600);
    t.add(t.lane(LaneKind::Phases, 2, "operators"), EventKind::Range, "other", 0, 1000);
    t.launch(120, 130, 7, 1);
    t.launch(500, 510, 8, 1);
    t.kernel(300, 900, 7);
    t.kernel(900, 950, 99);
    t.publish();
    links.update();
  }

  std::vector<std::string> around(LaneKind kind, Nanoseconds start, std::string_view name = {}) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<trace::LaneId>(l);
      if (trace.lane(lane).info().kind != kind) continue;
      for (std::size_t r = 0; r < trace.lane(lane).row_count(); ++r) {
        const trace::Row& row = trace.lane(lane).row(r);
        for (auto i = row.first(); i < row.last(); ++i) {
          const EventRef ref = event_ref(lane, r, row, i);
          if (row.start(i) != start || (!name.empty() && text(ref) != name)) continue;
          std::vector<std::string> names;
          for (const EventRef& range : enclosing_ranges(links, ref)) names.push_back(text(range));
          return names;
        }
      }
    }
    return {"no such event"};
  }
  std::string text(const EventRef& ref) { return std::string(trace.names().text(ref.event.name)); }

  trace::Trace trace;
  TraceBuilder t{trace};
  trace::Links links{trace};
};

TEST_F(EnclosingTest, InnermostFirstAndOnlyOfItsThread) {
  EXPECT_THAT(around(LaneKind::Calls, 120), ElementsAre("addmm", "linear", "iteration"));
  EXPECT_THAT(around(LaneKind::Calls, 500), ElementsAre("relu", "iteration")) << "half-open: linear has ended";
  EXPECT_THAT(around(LaneKind::Phases, 100, "addmm"), ElementsAre("linear", "iteration"));
  EXPECT_THAT(around(LaneKind::Phases, 100, "linear"), ElementsAre("iteration"));
  EXPECT_THAT(around(LaneKind::Iterations, 0), IsEmpty());
}

TEST_F(EnclosingTest, GpuWorkIsWhereItsCallIs) {
  EXPECT_THAT(around(LaneKind::Kernels, 300), ElementsAre("addmm", "linear", "iteration"));
  EXPECT_THAT(around(LaneKind::Kernels, 900), IsEmpty()) << "the call is not in the trace";
}

TEST(OwnerText, ThreadsHaveTheirNameAndAnUnsignedNumber) {
  trace::LaneInfo lane;
  lane.tid = 1262;
  EXPECT_EQ(thread_text(lane), "thread 1262");
  lane.thread = "loader";
  EXPECT_EQ(thread_text(lane), "thread 1262 (loader)");
  lane.thread.clear();
  lane.tid = -247'463'936;  // 2^32 - 247,463,936
  EXPECT_EQ(thread_text(lane), "thread 4047503360");
  lane.tid = -5'000'000'000;  // not a number of 32 bits
  EXPECT_EQ(thread_text(lane), "thread -5000000000");
}

TEST(OwnerText, LongProgramNamesKeepBothEnds) {
  EXPECT_EQ(short_process_name("python3.10"), "python3.10");
  EXPECT_EQ(short_process_name("/usr/bin/python3"), "python3");
  EXPECT_EQ(short_process_name("penv#native-main#platform-runtime#python#py_version_3_10"),
            "penv#native-ma…_version_3_10");
  // Characters of several bytes stay whole.
  EXPECT_EQ(short_process_name("程序程序程序程序程序程序程序"), "程序程序…程序程序");
}

}  // namespace
}  // namespace lanescope::ui
