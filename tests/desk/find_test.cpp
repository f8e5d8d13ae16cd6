// Finding: the figures of a stretch, the search and the walk through what it finds, the list of events.
#include <gmock/gmock.h>

#include <cmath>

#include "desk/desk.h"
#include "shell/finding.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;
using ui::DrawerTab;

class FindTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    ui::close_search(state());
    state().drawer = DrawerTab::Plots;
    state().event_list = {};
    model().set_speed(0.1);
    wait_for_iterations(30);
    hold_still();
    state().view.show(model().analysis().records()[20].start_ns, model().analysis().records()[21].end_ns);
    settle();
  }
  void settle() {
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
  bool in_view(const trace::Event& e) { return e.start_ns < axis().end_ns() && e.end_ns > axis().begin_ns(); }
  void search_by_hand(const std::string& text) {
    desk().point_at({20, 20});
    desk().key(key::Slash);
    ASSERT_TRUE(desk().until([&] { return state().search.field_active; }));
    desk().type(text);
    ASSERT_TRUE(desk().until([&] { return state().search.text == text; }));
    desk().frames(2);  // it has started again
    ASSERT_TRUE(desk().until([&] { return !state().search.searching(); }));
  }
  const ui::SearchState& search() { return state().search; }
};

TEST_F(FindTest, ShiftAndDragGivesTheFiguresOfAStretchNameByName) {
  const Rect calls = *state().timeline.lane_rect(model().trace(), trace::LaneKind::Calls);
  const Point from{axis().left_px() + 150, calls.y + calls.height / 2};
  desk().key_down(key::LeftShift);
  desk().drag(from, {from.x + 260, from.y});
  desk().key_up(key::LeftShift);
  ASSERT_TRUE(state().selection.range.has_value());
  const auto worked_out = [&] { return state().range_figures.shows(*state().selection.range); };
  ASSERT_TRUE(desk().until(worked_out));
  const auto [begin, end] = *state().selection.range;
  const analysis::EventGroups expected = analysis::event_groups(
      model().trace(),
      {.from = begin, .to = end, .lanes = state().selection.lanes, .detail = analysis::GroupDetail::Distribution});
  const analysis::EventGroups& shown = state().range_figures.job.answer->events;
  EXPECT_GT(shown.all.count, 5);
  EXPECT_EQ(shown.all.count, expected.all.count);
  EXPECT_EQ(shown.bins.counts, expected.bins.counts);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("tab.statistics"); }));
  // The wide table stands where the plots were, and a click on a title sorts it.
  desk().click("tab.statistics");
  EXPECT_EQ(state().drawer, DrawerTab::Statistics);
  desk().click("statistics.scope.1");
  EXPECT_FALSE(state().statistics.whole);
  ASSERT_TRUE(desk().until([&] { return !state().statistics.job.outdated(); }));
  EXPECT_EQ(state().statistics.job.answer->from, begin);
  EXPECT_EQ(state().statistics.job.answer->to, end);
  EXPECT_EQ(state().statistics.job.answer->events, expected.all.count);
  desk().click("statistics.by.2");
  EXPECT_EQ(state().statistics.wish.order, (analysis::GroupOrder{analysis::GroupColumn::Count, false}));
  // A click on a name finds its events.
  desk().click("statistics.row.0");
  EXPECT_TRUE(search().open);
  EXPECT_TRUE(desk().until([&] { return search().total > 0; }));
}

TEST_F(FindTest, TheSearchFindsWhileOneTypesAndEnterWalks) {
  search_by_hand("linear");
  ASSERT_GT(search().found.size(), 10u);
  for (const ui::EventRef& e : search().found) {
    ASSERT_NE(model().trace().names().text(e.event.name).find("linear"), std::string_view::npos);
  }
  EXPECT_FALSE(search().at.has_value()) << "the view stays where it is until one walks";
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return search().at.has_value(); }));
  const std::size_t first = *search().at;
  EXPECT_GE(search().shown->event.start_ns, axis().begin_ns());
  EXPECT_EQ(state().selection.event, search().shown);
  desk().key(key::F3);
  ASSERT_TRUE(desk().until([&] { return search().at == first + 1; }));
  desk().key(key::F3, kShift);
  ASSERT_TRUE(desk().until([&] { return search().at == first; }));
  // Far away the view goes along, at the same zoom.
  const double zoom = axis().ns_per_pixel();
  ui::show_found(state(), 0);
  settle();
  EXPECT_TRUE(in_view(search().found.front().event));
  EXPECT_NEAR(axis().ns_per_pixel(), zoom, zoom * 0.01);
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return !search().open; }));
  EXPECT_TRUE(search().found.empty());
  EXPECT_EQ(state().drawer, DrawerTab::Plots);
}

TEST_F(FindTest, NothingFoundOffersANameNearby) {
  search_by_hand("linaer");
  EXPECT_EQ(search().total, 0u);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("search.near.0"); }));
  desk().click("search.near.0");
  EXPECT_TRUE(desk().until([&] { return search().total > 0; }));
}

TEST_F(FindTest, TheSearchGoesOnWithTheRun) {
  search_by_hand("kernel");
  const std::uint64_t before = search().total;
  model().set_paused(false);
  EXPECT_TRUE(desk().until([&] { return search().total > before; }));
}

TEST_F(FindTest, TheListIsInStepWithTheViewAndAClickSelects) {
  desk().point_at({20, 20});
  desk().act(ui::Action::EventList);
  ASSERT_TRUE(desk().until([&] { return state().event_list.shown.size() > 3; }));
  for (const ui::EventRef& e : state().event_list.shown) EXPECT_TRUE(in_view(e.event));
  const ui::EventRef wanted = state().event_list.shown[2];
  desk().point_at(middle(desk().place("event_list.row.2")));
  EXPECT_TRUE(desk().until([&] { return state().event_list.hovered == wanted; }));
  desk().click("event_list.row.2");
  EXPECT_EQ(state().selection.event, wanted);
  // The view moves, the list goes with it.
  state().selection.clear();
  const auto& records = model().analysis().records();
  state().view.show(records[3].start_ns, records[3].end_ns);
  settle();
  EXPECT_TRUE(desk().until([&] {
    return !state().event_list.shown.empty() && state().event_list.shown.back().event.start_ns < axis().end_ns() &&
           in_view(state().event_list.shown.front().event);
  }));
  // Over the whole run, what is clicked out of view is brought into it.
  desk().click("event_list.scope.2");
  ASSERT_TRUE(desk().until([&] { return state().event_list.count > 500; }));
  state().event_list.top = {};
  state().event_list.read = {};
  ASSERT_TRUE(desk().until([&] { return !in_view(state().event_list.shown.front().event); }));
  desk().click("event_list.row.0");
  settle();
  EXPECT_TRUE(state().selection.event && in_view(state().selection.event->event));
}

TEST_F(FindTest, TheListIsFiltered) {
  desk().point_at({20, 20});
  desk().act(ui::Action::EventList);
  desk().click("event_list.filter");
  desk().type("launch");
  ASSERT_TRUE(
      desk().until([&] { return state().event_list.filter == "launch" && state().event_list.counts_filtered; }));
  ASSERT_FALSE(state().event_list.shown.empty());
  for (const ui::EventRef& e : state().event_list.shown) {
    EXPECT_EQ(model().trace().names().text(e.event.name), "cudaLaunchKernel");
  }
}

}  // namespace
}  // namespace lanescope::ui_test
