// Looking around: wheel, drag, keys, and the three ways to look at a live run.
#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "base/time.h"
#include "desk/desk.h"
#include "inspect/neighbours.h"
#include "shell/selecting.h"
#include "timeline/timeline_drag.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;
using ui::Action;
using ui::ViewMode;

class ViewTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    model().set_speed(0.1);
    wait_for_iterations(20);
    model().set_speed(ui::kWindowSpeed);
  }
  Point over_lanes(float part) {
    const Rect r = desk().place("timeline");
    return {axis().left_px() + part * axis().width_px(), r.y + 120};
  }
  void settle() {
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
  /// A stretch of about twelve iterations in the middle of the run, standing still.
  void stand_in_the_middle() {
    hold_still();
    const auto records = model().analysis().records();
    state().view.show_exactly(records[4].start_ns, records[records.size() - 4].end_ns);
    settle();
  }
  void hold_key(int symbol, bool down) {
    if (down) {
      desk().key_down(symbol);
    } else {
      desk().key_up(symbol);
    }
  }
  Point on_ruler(float part) { return {over_lanes(part).x, desk().place("timeline").y + 12}; }
  /// One pixel's worth of time, and the nearest nanosecond.
  double pixel() const { return state_axis().ns_per_pixel() + 1; }
  const ui::TimeAxis& state_axis() const { return desk_->shell().state().view.axis(); }
};

TEST_F(ViewTest, TheWheelZoomsAtTheCursor) {
  hold_still();
  const Point at = over_lanes(0.7f);
  desk().point_at(at);
  const double zoom = axis().ns_per_pixel();
  const Nanoseconds under = axis().to_ns(at.x);
  desk().wheel(3);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom / std::pow(1.25, 3), zoom * 0.001);
  EXPECT_NEAR(static_cast<double>(axis().to_ns(at.x)), static_cast<double>(under), pixel());
  desk().wheel(-3);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom, zoom * 0.001);
  EXPECT_NEAR(static_cast<double>(axis().to_ns(at.x)), static_cast<double>(under), pixel());
  desk().wheel(1, kControl);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom / 1.05, zoom * 0.001);
}

TEST_F(ViewTest, ADragPansAndFreezes) {
  desk().point_at(over_lanes(0.5f));
  model().set_paused(true);
  state().view.pan(0);
  state().view.resume();
  // The newest picture was taken: they come every 0.3 s.
  ASSERT_TRUE(desk().until([&, last = axis(), since = base::now()]() mutable {
    const auto now = base::now();
    if (!(axis() == std::exchange(last, axis()))) since = now;
    return now - since > std::chrono::milliseconds(700);
  }));
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  const Nanoseconds before = axis().begin_ns();
  const Point from = over_lanes(0.4f);
  state().preferences.animation = false;  // it stops where the hand does
  desk().drag(from, {from.x + 160, from.y});
  state().preferences.animation = true;
  EXPECT_NEAR(static_cast<double>(before - axis().begin_ns()), 160 * axis().ns_per_pixel(), 5 * pixel());
  EXPECT_TRUE(state().view.frozen_by_hand());
  EXPECT_TRUE(state().selection.empty());
  const ui::TimeAxis frozen = axis();
  model().set_paused(false);
  wait_for_iterations(model().analysis().records().size() + 20);
  EXPECT_EQ(axis(), frozen);
  desk().click("resume");
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  ASSERT_TRUE(desk().until([&] { return axis().begin_ns() > frozen.end_ns(); }));
  EXPECT_DOUBLE_EQ(axis().ns_per_pixel(), frozen.ns_per_pixel());
}

TEST_F(ViewTest, KeysThatAreHeldPanAndZoom) {
  hold_still();
  desk().point_at({20, 20});  // away from the lanes: zooming is about the middle
  struct Held {
    int key;
    int pan;   // which way the begin of the view goes
    int zoom;  // which way the nanoseconds per pixel go
  };
  for (const Held& held : {Held{key::A, -1, 0}, Held{key::D, 1, 0}, Held{key::Left, -1, 0}, Held{key::Right, 1, 0},
                           Held{key::W, 1, -1}, Held{key::Up, 1, -1}, Held{key::S, -1, 1}, Held{key::Down, -1, 1}}) {
    const Nanoseconds begin = axis().begin_ns();
    const double zoom = axis().ns_per_pixel();
    const auto middle_ns = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
    desk().key_down(held.key);
    const auto moved = [&] {
      const double by = static_cast<double>(axis().begin_ns() - begin);
      const double closer = axis().ns_per_pixel() / zoom;
      return std::abs(by) > 30 * zoom && (held.zoom == 0 || closer < 0.8 || closer > 1.25);
    };
    EXPECT_TRUE(desk().until(moved)) << held.key;
    desk().key_up(held.key);
    settle();
    EXPECT_EQ(axis().begin_ns() > begin ? 1 : -1, held.pan) << held.key;
    const double ratio = axis().ns_per_pixel() / zoom;
    EXPECT_EQ(ratio > 1.001 ? 1 : ratio < 0.999 ? -1 : 0, held.zoom) << held.key;
    if (held.zoom != 0) {
      const auto now = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
      EXPECT_NEAR(now, middle_ns, 2 * pixel()) << held.key;
    }
    // What is released stands still.
    const ui::TimeAxis released = axis();
    desk().frames(5);
    EXPECT_EQ(axis(), released);
  }
  EXPECT_TRUE(desk().saved().empty()) << "S that is held is no picture";
}

TEST_F(ViewTest, FitShowsEverything) {
  hold_still();
  desk().key(key::F);
  settle();
  const auto [from, to] = model().extent();
  EXPECT_NEAR(axis().to_px(from), axis().left_px(), 1);
  EXPECT_NEAR(axis().to_px(to), axis().right_px(), 1);
  // A selected stretch is centred first, at this zoom, and then fitted with a little room on both sides.
  ui::select_range(state(), from, from + (to - from) / 4);
  const double zoom = axis().ns_per_pixel();
  desk().key(key::F);
  settle();
  EXPECT_DOUBLE_EQ(axis().ns_per_pixel(), zoom);
  EXPECT_NEAR(axis().to_px(from + (to - from) / 8), (axis().left_px() + axis().right_px()) / 2, 1);
  desk().key(key::F);
  settle();
  EXPECT_NEAR(axis().to_px(from), axis().left_px() + axis().width_px() * 0.1f, 2);
}

TEST_F(ViewTest, OneTwoThreeAndL) {
  desk().act(ui::Action::Roll);
  EXPECT_EQ(state().view.mode(), ViewMode::Roll);
  const Nanoseconds edge = model().live_edge();
  ASSERT_TRUE(desk().until([&] { return model().live_edge() > edge; }));
  EXPECT_NEAR(axis().to_px(model().live_edge()), axis().right_px() - 0.03f * axis().width_px(), 1);
  desk().act(ui::Action::Trigger);
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  desk().frames(2);
  EXPECT_FLOAT_EQ(axis().to_px(state().view.label_origin()), axis().left_px() + 1);
  desk().act(ui::Action::Single);
  EXPECT_EQ(state().view.mode(), ViewMode::Single);
  ASSERT_TRUE(desk().until([&] { return !state().view.armed(); }));
  const ui::TimeAxis taken = axis();
  wait_for_iterations(model().analysis().records().size() + 20);
  EXPECT_EQ(axis(), taken);
  desk().key(key::L);
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  desk().act(ui::Action::Roll);
  state().view.pan(30);
  EXPECT_EQ(state().view.mode(), ViewMode::Single);
  desk().key(key::Home);
  EXPECT_EQ(state().view.mode(), ViewMode::Roll);
}

TEST_F(ViewTest, TheModesHaveButtons) {
  desk().click("mode.Roll");
  EXPECT_EQ(state().view.mode(), ViewMode::Roll);
  desk().click("mode.Single");
  EXPECT_EQ(state().view.mode(), ViewMode::Single);
  desk().click("mode.Trigger");
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
}

TEST_F(ViewTest, TheWholeRunStripTakesTheViewThere) {
  wait_for_iterations(60);
  hold_still();
  const Rect strip = desk().place("whole_run");
  const auto [from, to] = model().extent();
  const Point at{strip.x + strip.width * 0.25f, strip.y + strip.height / 2};
  desk().click(at);
  settle();
  const auto middle_ns = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
  const double wanted = static_cast<double>(from) + static_cast<double>(to - from) * 0.25;
  EXPECT_NEAR(middle_ns, wanted, static_cast<double>(to - from) * 0.01);
  // Dragged along the strip, the view goes along.
  desk().drag(at, {strip.x + strip.width * 0.6f, at.y});
  const auto later = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
  EXPECT_NEAR(later, static_cast<double>(from) + static_cast<double>(to - from) * 0.6,
              static_cast<double>(to - from) * 0.01);
}

// By its edges the window on the strip zooms; a drag beside it is a new one; the wheel zooms too.
TEST_F(ViewTest, TheWindowOnTheStripCanBeTaken) {
  wait_for_iterations(60);
  stand_in_the_middle();
  const Rect strip = desk().place("whole_run");
  const auto [from, to] = model().extent();
  const auto at = [&](double part) { return strip.x + strip.width * static_cast<float>(part); };
  const auto part_of = [&, from = from, to = to](Nanoseconds t) {
    return static_cast<double>(t - from) / static_cast<double>(to - from);
  };
  const float y = strip.y + strip.height / 2;
  state().view.show_exactly(from + (to - from) / 4, from + (to - from) / 2);
  settle();
  desk().drag({at(0.5), y}, {at(0.75), y});
  EXPECT_NEAR(part_of(axis().begin_ns()), 0.25, 0.01) << "the other edge stays";
  EXPECT_NEAR(part_of(axis().end_ns()), 0.75, 0.01);
  desk().drag({at(0.8), y}, {at(0.9), y});
  EXPECT_NEAR(part_of(axis().begin_ns()), 0.8, 0.01);
  EXPECT_NEAR(part_of(axis().end_ns()), 0.9, 0.01);
  const double zoom = axis().ns_per_pixel();
  desk().point_at({at(0.85), y});
  desk().wheel(2);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom / (1.25 * 1.25), zoom * 0.01);
  EXPECT_TRUE(state().view.back());
}

TEST_F(ViewTest, AFlickGlidesOn) {
  stand_in_the_middle();
  const Point from = over_lanes(0.7f);
  desk().drag(from, {from.x - 200, from.y});
  const Nanoseconds released = axis().begin_ns();
  ASSERT_TRUE(state().view.moving());
  settle();
  EXPECT_GT(axis().begin_ns(), released);
}

TEST_F(ViewTest, ADragWithCtrlOrTheMiddleButtonZoomsIn) {
  for (const bool ctrl : {true, false}) {
    stand_in_the_middle();
    const Point from = over_lanes(0.25f);
    const Point to = over_lanes(0.75f);
    const ui::TimeAxis before = axis();
    if (ctrl) {
      hold_key(key::LeftControl, true);
      desk().drag(from, to);
      hold_key(key::LeftControl, false);
    } else {
      desk().point_at(from);
      desk().button(Button::Middle, true);
      desk().point_at({(from.x + to.x) / 2, from.y});
      EXPECT_EQ(state().navigation.drag.kind, ui::DragKind::ZoomIn);
      desk().point_at(to);
      EXPECT_EQ(axis(), before) << "not before it is let go";
      desk().button(Button::Middle, false);
    }
    settle();
    EXPECT_NEAR(axis().span_ns(), before.span_ns() / 2, before.span_ns() * 0.01);
    EXPECT_NEAR(before.to_px(axis().begin_ns()), from.x, 1.5);
    EXPECT_TRUE(state().selection.empty());
    desk().key(key::Z, kControl);
    settle();
    EXPECT_EQ(axis(), before) << "and back";
  }
}

TEST_F(ViewTest, ADragWithAltZoomsOut) {
  stand_in_the_middle();
  const ui::TimeAxis before = axis();
  const Point from = over_lanes(0.25f);
  const Point to = over_lanes(0.75f);
  hold_key(key::LeftAlt, true);
  desk().drag(from, to);
  hold_key(key::LeftAlt, false);
  settle();
  EXPECT_NEAR(axis().span_ns(), before.span_ns() * 2, before.span_ns() * 0.02);
  EXPECT_NEAR(axis().to_px(before.begin_ns()), from.x, 1.5);
}

TEST_F(ViewTest, EscapeCancelsADrag) {
  stand_in_the_middle();
  const ui::TimeAxis before = axis();
  const auto [begin, end] = model().extent();
  ui::select_range(state(), begin, end);
  for (const int key : {key::LeftControl, key::LeftShift}) {
    const Point from =
        over_lanes(key == key::LeftControl ? 0.3f : 0.4f);  // two presses at one place are a double-click
    hold_key(key, true);
    desk().point_at(from);
    desk().press();
    desk().point_at({from.x + 150, from.y});
    desk().key(key::Escape);  // with the other key still down, as one does
    desk().release();
    hold_key(key, false);
    settle();
    EXPECT_EQ(axis(), before);
    EXPECT_EQ(state().selection.range, (std::pair{begin, end})) << "as it was before";
  }
}

// A stretch of time and the lanes it touches; on the ruler, all of them. Its edges can be taken, and snap to events.
TEST_F(ViewTest, AStretchOfTimeAndLanes) {
  stand_in_the_middle();
  const Rect kernels = *state().timeline.lane_rect(model().trace(), LaneKind::Kernels);
  const Rect calls = *state().timeline.lane_rect(model().trace(), LaneKind::Calls);
  hold_key(key::LeftShift, true);
  desk().drag({over_lanes(0.3f).x, calls.y + 2}, {over_lanes(0.6f).x, kernels.y + 2});
  hold_key(key::LeftShift, false);
  ASSERT_TRUE(state().selection.range.has_value());
  const auto kinds = [&] {
    std::vector<LaneKind> found;
    for (const auto lane : state().selection.lanes) found.push_back(model().trace().lane(lane).info().kind);
    return found;
  };
  EXPECT_EQ(kinds(), (std::vector{LaneKind::Calls, LaneKind::Kernels}));
  desk().drag(on_ruler(0.3f), on_ruler(0.6f));
  EXPECT_TRUE(state().selection.lanes.empty());
  // By its right edge, next to the start of a kernel.
  const auto kernel = ui::nearest_event(model().trace(), state().timeline.lanes_between(kernels.y, kernels.y + 1).at(0),
                                        axis().to_ns(over_lanes(0.8f).x), model().live_edge());
  ASSERT_TRUE(kernel.has_value());
  const auto first = state().selection.range->first;
  const float edge = axis().to_px(state().selection.range->second);
  const float wanted = axis().to_px(kernel->event.start_ns);
  desk().drag({edge, kernels.y + 5}, {wanted - 1, kernels.y + 5});
  ASSERT_TRUE(state().selection.range.has_value());
  EXPECT_EQ(state().selection.range->first, first);
  const auto& range = *state().selection.range;
  const auto snapped = ui::nearest_event(model().trace(), kernel->lane, range.second, model().live_edge());
  EXPECT_TRUE(range.second == snapped->event.start_ns || range.second == snapped->event.end_ns ||
              ui::neighbour(model().trace(), *snapped, ui::Along::Back, model().live_edge()).found->event.end_ns ==
                  range.second);
  EXPECT_NEAR(axis().to_px(range.second), wanted - 1, 7);
}

TEST_F(ViewTest, SidewaysTheWheelPansAndNeverZoomsInTheSameGesture) {
  stand_in_the_middle();
  const ui::TimeAxis before = axis();
  desk().point_at(over_lanes(0.5f));
  desk().wheel_sideways(-1);
  desk().wheel(1);
  desk().wheel_sideways(-1);
  settle();
  EXPECT_DOUBLE_EQ(axis().ns_per_pixel(), before.ns_per_pixel());
  EXPECT_NEAR(before.offset_px(axis()), 120, 1);
}

TEST_F(ViewTest, GoToATimeOrAnIteration) {
  hold_still();
  state().navigation.go_to.text.clear();
  const auto go = [&](const char* text) {
    desk().key(key::J);
    ASSERT_TRUE(desk().until([&] { return ImGui::GetIO().WantTextInput; }));
    desk().type(text);
    EXPECT_TRUE(desk().until([&] { return state().navigation.go_to.text == text; })) << state().navigation.go_to.text;
    desk().key(key::Enter);
  };
  go("12");
  ASSERT_TRUE(desk().until([&] { return state().overlays.open != ui::Overlay::GoTo; }));
  settle();
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_EQ(trace::index_of(state().selection.event->event), 12u);
  const trace::Event iteration = state().selection.event->event;
  const auto half = iteration.start_ns + iteration.duration() / 2;
  EXPECT_NEAR(axis().to_px(half), (axis().left_px() + axis().right_px()) / 2, 2);
  go("99999");
  EXPECT_TRUE(state().overlays.open == ui::Overlay::GoTo) << "there is no such iteration";
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return state().overlays.open != ui::Overlay::GoTo; }));
}

TEST_F(ViewTest, ThePlotsChangeTheirAxis) {
  EXPECT_FALSE(state().plots.on_timeline_axis.has_value());
  desk().click("plot_axis");
  EXPECT_EQ(state().plots.on_timeline_axis, true);
  desk().act(ui::Action::TogglePlotAxis);
  EXPECT_EQ(state().plots.on_timeline_axis, false);
  desk().click("plot_axis");
  EXPECT_EQ(state().plots.on_timeline_axis, true);
  // A roll has them on the timeline's axis without being asked, where nobody has said otherwise.
  state().plots.on_timeline_axis.reset();
  desk().act(ui::Action::Roll);
  desk().click("plot_axis");
  EXPECT_EQ(state().plots.on_timeline_axis, false);
}

TEST_F(ViewTest, ATooltipSaysWhatIsUnderThePointer) {
  hold_still();
  const auto kernels = events_in_view(LaneKind::Kernels);
  ASSERT_FALSE(kernels.empty());
  const auto tooltip = [] { return ImGui::GetDrawData()->CmdListsCount; };
  desk().point_at({axis().left_px() + 5, desk().place("timeline").y + 40});
  desk().frames(3);
  const int without = tooltip();
  desk().point_at(point_of(LaneKind::Kernels, kernels[kernels.size() / 2]));
  EXPECT_TRUE(desk().until([&] { return tooltip() > without; }));
}

TEST_F(ViewTest, ATooltipLeavesItsLaneInSight) {
  hold_still();
  for (const LaneKind kind : {LaneKind::Calls, LaneKind::Kernels, LaneKind::Iterations}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const auto events = events_in_view(kind);
    if (events.empty()) continue;
    desk().point_at(point_of(kind, events.back()));
    ASSERT_TRUE(desk().until([&] { return desk().has_place("tooltip"); }));
    desk().frames(3);  // ImGui finds out how large it is
    const Rect tip = state().places["tooltip"];
    const Rect lane = *state().timeline.lane_rect(model().trace(), kind);
    EXPECT_TRUE(tip.y >= lane.y + lane.height || tip.y + tip.height <= lane.y) << tip.y << ", lane at " << lane.y;
    EXPECT_LE(tip.width, 360);
    EXPECT_GE(tip.y, 0);
    EXPECT_LE(tip.y + tip.height, ImGui::GetIO().DisplaySize.y);
    EXPECT_LE(tip.x + tip.width, ImGui::GetIO().DisplaySize.x);
  }
}

}  // namespace
}  // namespace lanescope::ui_test
