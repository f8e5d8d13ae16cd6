#include "inspect/event_list.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
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
