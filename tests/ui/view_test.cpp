// Looking around: wheel, drag, keys, and the three ways to look at a live run.
#include <X11/keysym.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>

#include "ui/desk.h"
#include "ui/panels/panels.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;
using ui::Action;
using ui::ViewMode;

class ViewTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
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
  /// One pixel's worth of time, and the nearest nanosecond.
  double pixel() const { return state_axis().ns_per_pixel() + 1; }
  const ui::TimeAxis& state_axis() const { return desk_->window().shell().state().view.axis(); }
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
  desk().frames(30);
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  const Nanoseconds before = axis().begin_ns();
  const Point from = over_lanes(0.4f);
  desk().drag(from, {from.x + 160, from.y});
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
    unsigned long key;
    int pan;   // which way the begin of the view goes
    int zoom;  // which way the nanoseconds per pixel go
  };
  for (const Held& held : {Held{XK_a, -1, 0}, Held{XK_d, 1, 0}, Held{XK_Left, -1, 0}, Held{XK_Right, 1, 0},
                           Held{XK_w, 1, -1}, Held{XK_Up, 1, -1}, Held{XK_s, -1, 1}, Held{XK_Down, -1, 1}}) {
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
  desk().key(XK_f);
  settle();
  const auto [from, to] = model().extent();
  EXPECT_NEAR(axis().to_px(from), axis().left_px(), 1);
  EXPECT_NEAR(axis().to_px(to), axis().right_px(), 1);
  // A selected stretch is fitted with a little room on both sides.
  ui::select_range(state(), from, from + (to - from) / 4);
  desk().key(XK_f);
  settle();
  EXPECT_NEAR(axis().to_px(from), axis().left_px() + axis().width_px() * 0.1f, 2);
}

TEST_F(ViewTest, OneTwoThreeAndL) {
  desk().key(XK_1);
  EXPECT_EQ(state().view.mode(), ViewMode::Roll);
  const Nanoseconds edge = model().live_edge();
  ASSERT_TRUE(desk().until([&] { return model().live_edge() > edge; }));
  EXPECT_NEAR(axis().to_px(model().live_edge()), axis().right_px() - 0.03f * axis().width_px(), 1);
  desk().key(XK_2);
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  desk().frames(2);
  EXPECT_FLOAT_EQ(axis().to_px(state().view.label_origin()), axis().left_px() + 1);
  desk().key(XK_3);
  EXPECT_EQ(state().view.mode(), ViewMode::Single);
  ASSERT_TRUE(desk().until([&] { return !state().view.armed(); }));
  const ui::TimeAxis taken = axis();
  wait_for_iterations(model().analysis().records().size() + 20);
  EXPECT_EQ(axis(), taken);
  desk().key(XK_l);
  EXPECT_EQ(state().view.mode(), ViewMode::Trigger);
  desk().key(XK_1);
  state().view.pan(30);
  EXPECT_EQ(state().view.mode(), ViewMode::Single);
  desk().key(XK_Home);
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
  const auto middle_ns = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
  const double wanted = static_cast<double>(from) + static_cast<double>(to - from) * 0.25;
  EXPECT_NEAR(middle_ns, wanted, static_cast<double>(to - from) * 0.01);
  // Dragged along the strip, the view goes along.
  desk().drag(at, {strip.x + strip.width * 0.6f, at.y});
  const auto later = static_cast<double>(axis().begin_ns()) + axis().span_ns() / 2;
  EXPECT_NEAR(later, static_cast<double>(from) + static_cast<double>(to - from) * 0.6,
              static_cast<double>(to - from) * 0.01);
}

TEST_F(ViewTest, ThePlotsChangeTheirAxis) {
  EXPECT_FALSE(state().plots_on_timeline_axis.has_value());
  desk().click("plot_axis");
  EXPECT_EQ(state().plots_on_timeline_axis, true);
  desk().key(XK_x);
  EXPECT_EQ(state().plots_on_timeline_axis, false);
  desk().click("plot_axis");
  EXPECT_EQ(state().plots_on_timeline_axis, true);
  // A roll has them on the timeline's axis without being asked, where nobody has said otherwise.
  state().plots_on_timeline_axis.reset();
  desk().key(XK_1);
  desk().click("plot_axis");
  EXPECT_EQ(state().plots_on_timeline_axis, false);
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

}  // namespace
}  // namespace lanescope::ui_test
