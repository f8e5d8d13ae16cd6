#include "inspect/event_list.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using testing::IsEmpty;
using trace::EventKind;
using trace::LaneKind;
constexpr Nanoseconds kForever = Nanoseconds{1} << 60;

std::vector<Nanoseconds> starts(const std::vector<EventRef>& events) {
  std::vector<Nanoseconds> result;
  for (const EventRef& e : events) result.push_back(e.event.start_ns);
  return result;
}

class EventListTest : public testing::Test {
 protected:
  ListWish wish(Nanoseconds from, Nanoseconds to, std::size_t rows) { return {from, to, {}, rows}; }

  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  TraceBuilder build{trace};
  EventListState list;
};

// At one instant: the iteration, then its phase, then the call, then the kernel.
TEST_F(EventListTest, MergesRowsInTimeOrderAndThingsBeforeWhatIsInThem) {
  build.kernel(100, 200);
  build.call("f", 100, 120);
  build.add(build.lane(LaneKind::Phases, 0, "phase"), EventKind::Range, "p", 100, 150);
  build.iteration(100, 300);
  build.kernel(50, 90);
  build.publish();
  const EventRows rows(trace, {}, 0, kForever);
  EXPECT_EQ(rows.count(), 5u);
  const std::vector<EventRef> all = rows.from({}, 10);
  EXPECT_THAT(starts(all), ElementsAre(50, 100, 100, 100, 100));
  std::vector<LaneKind> kinds;
  for (const EventRef& e : all) kinds.push_back(trace.lane(e.lane).info().kind);
  EXPECT_THAT(kinds, ElementsAre(LaneKind::Kernels, LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls,
                                 LaneKind::Kernels));
  // From each of them on, and back from it, is the same list.
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(rows.from(rows.key(all[i]), 1).front(), all[i]);
    std::vector<EventRef> above = rows.before(rows.key(all[i]), 10);
    EXPECT_EQ(above, std::vector<EventRef>(all.rend() - static_cast<std::ptrdiff_t>(i), all.rend()));
  }
}

TEST_F(EventListTest, WhatReachesIntoTheStretchIsInIt) {
  build.kernel(0, 100);
  build.kernel(100, 200);
  build.kernel(250, 250);  // an instant
  build.kernel(300, 400);
  build.publish();
  EXPECT_THAT(starts(EventRows(trace, {}, 50, 150).from({}, 10)), ElementsAre(0, 100));
  EXPECT_THAT(starts(EventRows(trace, {}, 100, 300).from({}, 10)), ElementsAre(100, 250));
  EXPECT_THAT(starts(EventRows(trace, {}, 250, 251).from({}, 10)), ElementsAre(250));
  EXPECT_THAT(starts(EventRows(trace, {}, 210, 240).from({}, 10)), IsEmpty());
}

TEST_F(EventListTest, TheFilterLeavesNamesAndLooksOnlySoFar) {
  for (int i = 0; i < 1000; ++i) build.call(i % 100 == 0 ? "rare" : "often", i * 10, i * 10 + 5);
  build.publish();
  const trace::NameId rare = trace.names().find("rare");
  const EventRows rows(trace, {}, 0, kForever, [&](trace::NameId id) { return id == rare; });
  bool cut = true;
  EXPECT_THAT(starts(rows.from({}, 3, &cut)), ElementsAre(0, 1000, 2000));
  EXPECT_FALSE(cut);
  EXPECT_THAT(starts(rows.before({2500, LaneKind::Calls, 0, 0, 0}, 2)), ElementsAre(2000, 1000));
}

// Ten events, four to a page.
TEST_F(EventListTest, ScrollsFromTheFirstPageToTheLast) {
  for (int i = 0; i < 10; ++i) build.kernel(i * 100, i * 100 + 50, 0, i % 2);
  build.publish();
  const ListWish w = wish(0, kForever, 4);
  read_event_list(list, trace, w);
  EXPECT_EQ(list.count, 10u);
  EXPECT_THAT(starts(list.shown), ElementsAre(0, 100, 200, 300));
  scroll_event_list(list, trace, w, 3);
  read_event_list(list, trace, w);
  EXPECT_THAT(starts(list.shown), ElementsAre(300, 400, 500, 600));
  scroll_event_list(list, trace, w, 100);
  read_event_list(list, trace, w);
  EXPECT_THAT(starts(list.shown), ElementsAre(600, 700, 800, 900)) << "no empty page below the last";
  scroll_event_list(list, trace, w, -1);
  read_event_list(list, trace, w);
  EXPECT_THAT(starts(list.shown), ElementsAre(500, 600, 700, 800));
  scroll_event_list(list, trace, w, -100);
  read_event_list(list, trace, w);
  EXPECT_THAT(starts(list.shown), ElementsAre(0, 100, 200, 300));
  const EventRef event = list.shown[3];
  list.top = {700, LaneKind::Iterations, 0, 0, 0};
  show_in_event_list(list, trace, w, event);  // a third of four rows from the top
  read_event_list(list, trace, w);
  EXPECT_THAT(starts(list.shown), ElementsAre(200, 300, 400, 500));
}

TEST_F(EventListTest, AFilterCountsWhatItLeaves) {
  for (int i = 0; i < 20; ++i) build.call(i % 4 == 0 ? "alpha" : "beta", i * 100, i * 100 + 50);
  build.publish();
  list.matches.ask("alpha");
  do {
    list.matches.update(shared, FoundEvents::Clock::now());
  } while (list.matches.busy());
  read_event_list(list, trace, wish(350, 1300, 10));
  EXPECT_THAT(starts(list.shown), ElementsAre(400, 800, 1200));
  EXPECT_EQ(list.count, 3u);
  EXPECT_TRUE(list.counts_filtered);
}

TEST_F(EventListTest, TimesHaveAllTheirNanoseconds) {
  EXPECT_EQ(full_time(0), "0.000 000 000");
  EXPECT_EQ(full_time(12'345'678'901), "12.345 678 901");
  EXPECT_EQ(full_time(-1'500), "−0.000 001 500");
}

}  // namespace
}  // namespace lanescope::ui
