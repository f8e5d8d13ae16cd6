// A wait that is dragged off its lane: the iteration without it is drawn below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

class DraggedWaitTest : public DeskTest {
 protected:
  void TearDown() override { ui::put_back(state()); }
  ui::OtherSide& other() { return state().comparison.other; }
  /// In the hatched part of the longest wait in view.
  Point on_wait() {
    std::vector<trace::Event> calls = events_in_view(trace::LaneKind::Calls);
    std::erase_if(calls, [](const trace::Event& call) { return !trace::is_blocking(call); });
    const auto longest = std::ranges::max_element(calls, {}, &trace::Event::duration);
    if (longest == calls.end()) {
      ADD_FAILURE() << "no wait in view";
      return {};
    }
    const Nanoseconds from = longest->start_ns + trace::parts_of(*longest).own;
    return {axis().to_px((from + longest->end_ns) / 2), point_of(trace::LaneKind::Calls, *longest).y};
  }
  void drag_wait_up() {
    desk().frames(30);  // two presses at one place would be a double click
    const Point at = on_wait();
    desk().drag(at, {at.x, at.y - 60});
  }
};

TEST_F(DraggedWaitTest, OfAnOwnLoopItTakesThePlaceOfTheMeasuredSide) {
  const std::uint64_t before = model().generation();
  session::SessionOptions options = usual().session;
  options.device = "sim:teaching";
  options.assignments = {"log_interval=50"};
  options.speed = 0.1;
  state().requests.run = options;
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  wait_for_iterations(20);
  model().set("log_interval", std::int64_t{1});
  ASSERT_TRUE(desk().until([&] {
    return other().run() && state().view.stays() && model().recent_is_current() && model().recent().iteration.count > 9;
  }));
  hold_still();
  const auto measured = other().run();

  // Escape gives the drag up, and it has moved nothing.
  const Nanoseconds begin = axis().begin_ns();
  const Point at = on_wait();
  desk().point_at(at);
  desk().press();
  for (const float up : {10.0f, 60.0f}) desk().point_at({at.x + up / 6, at.y - up});
  EXPECT_TRUE(state().navigation.drag.off_lane());
  desk().key(key::Escape);
  desk().release();
  EXPECT_FALSE(state().comparison.dragged_off);
  EXPECT_EQ(axis().begin_ns(), begin);

  drag_wait_up();
  ASSERT_TRUE(state().comparison.dragged_off);
  ASSERT_TRUE(desk().until([&] { return other().is_replayed() && desk().has_place("ghost"); }));
  EXPECT_EQ(other().run()->label, "no-wait:item()");
  ASSERT_TRUE(desk().until([&] { return state().view.shown_iteration() && !state().view.moving(); }));
  EXPECT_LT(other().run()->typical_iteration().duration(), state().view.shown_iteration()->duration());
  desk().click("ghost");
  EXPECT_EQ(settings().integer("log_interval"), 1) << "a replay is no side to go to";
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return !other().is_replayed(); }));
  EXPECT_EQ(other().run(), measured);
  EXPECT_EQ(settings().integer("log_interval"), 1);

  // A knob that is turned shows what was measured.
  drag_wait_up();
  ASSERT_TRUE(desk().until([&] { return other().is_replayed(); }));
  model().set("log_interval", std::int64_t{2});
  ASSERT_TRUE(desk().until([&] { return !state().comparison.dragged_off && !other().is_replayed(); }));
}

TEST_F(DraggedWaitTest, OfAnOpenedTraceItIsDrawnUntilItIsDraggedOnceMore) {
  state().requests.files = {LANESCOPE_SOURCE_DIR "/tests/data/ddp-rank0.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live() && model().analysis().records().size() > 10; }));
  ASSERT_TRUE(desk().until([&] { return !desk().has_place("ghost"); }));
  const auto& record = model().analysis().records()[10];
  state().view.show_exactly(record.start_ns, record.end_ns);
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  drag_wait_up();
  ASSERT_TRUE(state().comparison.dragged_off);
  ASSERT_TRUE(desk().until([&] { return other().is_replayed() && desk().has_place("ghost"); }));
  EXPECT_TRUE(other().run()->label.starts_with("no-wait:")) << other().run()->label;
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  drag_wait_up();
  EXPECT_FALSE(state().comparison.dragged_off);
  ASSERT_TRUE(desk().until([&] { return !other().is_replayed() && !desk().has_place("ghost"); }));
  drag_wait_up();
  ASSERT_TRUE(desk().until([&] { return other().is_replayed(); }));
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return !other().is_replayed() && !desk().has_place("ghost"); }));
}

}  // namespace
}  // namespace lanescope::ui_test
