// Lanes in the hands of a person: names that are dragged, edges, headings, marks, the menu.
#include <gtest/gtest.h>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;

class LanesTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    hold_still();
    state().lanes.reset();
    state().scroll = {};
    settle();
  }
  void TearDown() override { state().lanes.reset(); }
  void settle() {
    desk().frames(2);
    ASSERT_TRUE(desk().until([&] { return !state().timeline.moving(); }));
    desk().frames(1);
  }
  trace::LaneId lane(LaneKind kind) {
    for (std::size_t l = 0; l < model().trace().lane_count(); ++l) {
      if (model().trace().lane(static_cast<trace::LaneId>(l)).info().kind == kind) return static_cast<trace::LaneId>(l);
    }
    ADD_FAILURE() << "no such lane";
    return 0;
  }
  std::string key(LaneKind kind) { return state().timeline.key_of(lane(kind)).value_or(""); }
  Rect rect(LaneKind kind) { return state().timeline.lane_rect(lane(kind)).value_or(Rect{}); }
  Point name(LaneKind kind) { return middle(desk().place("lane_name." + key(kind))); }
  ui::LaneChoice choice(LaneKind kind) { return state().lanes.choice(key(kind)); }
};

TEST_F(LanesTest, ANameIsDraggedElsewhere) {
  const ui::TimeAxis before = axis();
  const Rect phases = rect(LaneKind::Phases);
  desk().drag(name(LaneKind::Calls), {name(LaneKind::Phases).x, phases.y + 2});
  settle();
  EXPECT_LT(rect(LaneKind::Calls).y, rect(LaneKind::Phases).y);
  EXPECT_EQ(axis(), before) << "the view does not move with it";
  EXPECT_TRUE(state().selection.empty());
  // Far below, over the GPU's lanes: it stays with the CPU's, as their last.
  const Rect last = rect(LaneKind::CopyD2H);
  desk().drag(name(LaneKind::Calls), {name(LaneKind::Calls).x, last.y + last.height - 1});
  settle();
  EXPECT_GT(rect(LaneKind::Calls).y, rect(LaneKind::Phases).y);
  EXPECT_LT(rect(LaneKind::Calls).y, rect(LaneKind::Kernels).y);
  // The order holds for the next run.
  desk().drag(name(LaneKind::CopyD2H), {name(LaneKind::CopyD2H).x, rect(LaneKind::Kernels).y + 2});
  settle();
  run({});
  settle();
  EXPECT_LT(rect(LaneKind::CopyD2H).y, rect(LaneKind::Kernels).y);
}

// The mouse stays where it is, over what has taken the lane's place: the lane goes on, but not past the curve.
TEST_F(LanesTest, TheKeysCarryALaneOn) {
  desk().point_at(name(LaneKind::Phases));
  ASSERT_TRUE(desk().until([&] { return state().lane_hands.pointed == key(LaneKind::Phases); }));
  const std::vector<std::string> order = state().timeline.order();
  const auto down = [&] {
    desk().act(ui::Action::LaneDown);
    settle();
    return rect(LaneKind::Phases).y;
  };
  const float before = rect(LaneKind::Phases).y;
  EXPECT_GT(down(), before);
  while (rect(LaneKind::Phases).y < rect(LaneKind::Calls).y) ASSERT_GT(down(), before);
  const float last = rect(LaneKind::Phases).y;
  EXPECT_EQ(down(), last);
  EXPECT_LT(last, state().timeline.place_of(ui::kRunAheadKey)->rect.y);
  while (state().timeline.order() != order) {
    const float y = rect(LaneKind::Phases).y;
    desk().act(ui::Action::LaneUp);
    settle();
    ASSERT_LT(rect(LaneKind::Phases).y, y);
  }
}

TEST_F(LanesTest, EscapeGivesUpADrag) {
  const std::vector<std::string> order = state().timeline.order();
  const Point from = name(LaneKind::Calls);
  desk().point_at(from);
  desk().press();
  desk().point_at({from.x, rect(LaneKind::Phases).y + 2});
  ASSERT_TRUE(desk().until([&] { return state().timeline.order() != order; }));
  state().selection.range = {0, 1000};
  desk().key(key::Escape);
  desk().frames(2);
  EXPECT_EQ(state().timeline.order(), order);
  EXPECT_TRUE(state().selection.range.has_value()) << "one Escape, one thing";
  desk().point_at({from.x, rect(LaneKind::Phases).y + 4});  // still held, and nothing moves
  desk().release();
  settle();
  EXPECT_EQ(state().timeline.order(), order);
  // An edge goes back as well.
  const Rect calls = rect(LaneKind::Calls);
  desk().point_at({from.x, calls.y + calls.height});
  desk().press();
  desk().point_at({from.x, calls.y + 2 * calls.height});
  ASSERT_TRUE(desk().until([&] { return choice(LaneKind::Calls).height > 1.5f; }));
  desk().key(key::Escape);
  desk().release();
  settle();
  EXPECT_FLOAT_EQ(choice(LaneKind::Calls).height, 1);
}

TEST_F(LanesTest, AnEdgeIsDragged) {
  const Rect calls = rect(LaneKind::Calls);
  const Point edge{name(LaneKind::Calls).x, calls.y + calls.height};
  desk().drag(edge, {edge.x, edge.y + calls.height});
  settle();
  EXPECT_NEAR(rect(LaneKind::Calls).height, 2 * calls.height, 2);
  EXPECT_FLOAT_EQ(choice(LaneKind::Phases).height, 1);
}

TEST_F(LanesTest, AHeadingFoldsItsGroup) {
  ui::group_lanes(state(), ui::LaneGrouping::Device);  // by owner, one thread and one stream need no headings
  settle();
  const std::string group = state().timeline.place_of(key(LaneKind::Kernels))->group;
  const float before = rect(LaneKind::Kernels).height;
  desk().click("lane_group." + group);
  settle();
  EXPECT_LT(rect(LaneKind::Kernels).height, before / 3);
  EXPECT_NE(state().timeline.headings().back().text.find("lanes folded"), std::string::npos);
  // What is folded can still be pointed at.
  const auto kernels = events_in_view(LaneKind::Kernels);
  ASSERT_FALSE(kernels.empty());
  const auto widest = std::max_element(kernels.begin(), kernels.end(),
                                       [](const auto& a, const auto& b) { return a.duration() < b.duration(); });
  desk().click(point_of(LaneKind::Kernels, *widest));
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_EQ(state().selection.event->event, *widest);
  desk().click("lane_group." + group);
  settle();
  EXPECT_FLOAT_EQ(rect(LaneKind::Kernels).height, before);
}

TEST_F(LanesTest, TheMarksOfANamePinAndHideIt) {
  desk().point_at(name(LaneKind::Kernels));
  desk().click("lane_pin");
  settle();
  EXPECT_TRUE(choice(LaneKind::Kernels).pinned);
  EXPECT_LT(rect(LaneKind::Kernels).y, rect(LaneKind::Phases).y);
  desk().point_at(name(LaneKind::Phases));
  desk().click("lane_hide");
  settle();
  EXPECT_FALSE(state().timeline.lane_rect(lane(LaneKind::Phases)).has_value());
  desk().click("lanes_hidden");
  settle();
  EXPECT_TRUE(state().timeline.lane_rect(lane(LaneKind::Phases)).has_value());
  EXPECT_FALSE(desk().has_place("lanes_hidden"));
}

TEST_F(LanesTest, TheMenuOfALane) {
  const auto open_menu = [&] {
    desk().point_at(name(LaneKind::Phases));
    desk().button(Button::Right, true);
    desk().frames(2);
    desk().button(Button::Right, false);
    desk().frames(3);
  };
  open_menu();
  desk().click("lane_menu.collapse");
  settle();
  EXPECT_TRUE(choice(LaneKind::Phases).folded);
  open_menu();
  desk().click("lane_menu.only_group");
  settle();
  EXPECT_EQ(state().timeline.lanes().size(), 2u);
  open_menu();
  desk().click("lane_menu.show-lanes");
  settle();
  EXPECT_EQ(state().timeline.hidden_count(), 0u);
  open_menu();
  desk().click("lane_menu.by_nothing");
  settle();
  EXPECT_EQ(state().lanes.grouping(), ui::LaneGrouping::None);
  EXPECT_TRUE(state().timeline.headings().empty());
}

}  // namespace
}  // namespace lanescope::ui_test
