#include "analysis/event_listing.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"

namespace lanescope::analysis {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneKind;

constexpr Nanoseconds kListedForever = Nanoseconds{1} << 60;

std::vector<Nanoseconds> starts_of(const std::vector<trace::EventRef>& events) {
  std::vector<Nanoseconds> result;
  for (const trace::EventRef& e : events) result.push_back(e.event.start_ns);
  return result;
}

class EventRowsTest : public testing::Test {
 protected:
  EventRows overlapping(Nanoseconds from, Nanoseconds to) {
    return {trace, {.from = from, .to = to, .overlapping = true}};
  }

  trace::Trace trace;
  TraceBuilder build{trace};
};

// At one instant: the iteration, then its phase, then the call, then the kernel.
TEST_F(EventRowsTest, MergesRowsInTimeOrderAndThingsBeforeWhatIsInThem) {
  build.kernel(100, 200);
  build.call("f", 100, 120);
  build.add(build.lane(LaneKind::Phases, 0, "phase"), EventKind::Range, "p", 100, 150);
  build.iteration(100, 300);
  build.kernel(50, 90);
  build.publish();
  const EventRows rows = overlapping(0, kListedForever);
  EXPECT_EQ(rows.count(), 5u);
  const std::vector<trace::EventRef> all = rows.from({}, 10);
  EXPECT_THAT(starts_of(all), ElementsAre(50, 100, 100, 100, 100));
  std::vector<LaneKind> kinds;
  for (const trace::EventRef& e : all) kinds.push_back(trace.lane(e.lane).info().kind);
  EXPECT_THAT(kinds, ElementsAre(LaneKind::Kernels, LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls,
                                 LaneKind::Kernels));
  // From each of them on, and back from it, is the same list.
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(rows.from(key_of(trace, all[i]), 1).front(), all[i]);
    std::vector<trace::EventRef> above = rows.before(key_of(trace, all[i]), 10);
    EXPECT_EQ(above, std::vector<trace::EventRef>(all.rend() - static_cast<std::ptrdiff_t>(i), all.rend()));
  }
}

TEST_F(EventRowsTest, WhatReachesIntoTheStretchIsInIt) {
  build.kernel(0, 100);
  build.kernel(100, 200);
  build.kernel(250, 250);  // an instant
  build.kernel(300, 400);
  build.publish();
  EXPECT_THAT(starts_of(overlapping(50, 150).from({}, 10)), ElementsAre(0, 100));
  EXPECT_THAT(starts_of(overlapping(100, 300).from({}, 10)), ElementsAre(100, 250));
  EXPECT_THAT(starts_of(overlapping(250, 251).from({}, 10)), ElementsAre(250));
  EXPECT_THAT(starts_of(overlapping(210, 240).from({}, 10)), IsEmpty());
}

TEST_F(EventRowsTest, TheFilterLeavesNamesAndLooksOnlySoFar) {
  for (int i = 0; i < 1000; ++i) build.call(i % 100 == 0 ? "rare" : "often", i * 10, i * 10 + 5);
  build.publish();
  const trace::NameId rare = trace.names().find("rare");
  const EventRows rows(trace, {.name = rare});
  bool cut = true;
  EXPECT_THAT(starts_of(rows.from({}, 3, &cut)), ElementsAre(0, 1000, 2000));
  EXPECT_FALSE(cut);
  EXPECT_THAT(starts_of(rows.before({2500, LaneKind::Calls, 0, 0, 0}, 2)), ElementsAre(2000, 1000));
  // 50 events may be looked at: the one at 0 is among them, the next is the 101st.
  const EventRows few(trace, {.name = rare}, 50);
  EXPECT_THAT(starts_of(few.from({}, 3, &cut)), ElementsAre(0));
  EXPECT_TRUE(cut);
}

}  // namespace
}  // namespace lanescope::analysis
