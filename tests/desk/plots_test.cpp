// The plots in a window: which, in which order, how high, what is under the mouse, and the ghost behind them.
#include <gmock/gmock.h>
#include <imgui.h>

#include <cmath>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PlotsTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().drawer = ui::DrawerTab::Plots;
    state().plots.view.choice.reset();
    state().plots.view.logarithmic = false;
    state().plots.on_timeline_axis.reset();
    state().plots.ghost = {};
    wait_for_iterations(20);
  }
  std::vector<std::string> keys() {
    std::vector<std::string> found;
    for (const ui::ChosenPlot& plot : state().plots.view.choice.plots()) found.push_back(plot.key);
    return found;
  }
  Rect row(const char* key) { return desk().place(std::string("plot.name.") + key); }
};

TEST_F(PlotsTest, TheMenuChoosesPlotsAndIsRemembered) {
  // The loop copies a number back and nothing to the GPU, and computes no values: there is nothing to plot of these.
  ASSERT_TRUE(desk().until([&] { return desk().has_place("plot.name.cpu-waiting"); }));
  for (const char* name : {"plot.name.h2d", "plot.name.d2h", "plot.name.loss"}) EXPECT_FALSE(desk().has_place(name));
  desk().click("plot_menu");
  ASSERT_TRUE(desk().until([&] { return state().plots.view.menu_open; }));
  desk().click("plot_menu.h2d");  // who asks for it sees it
  desk().click("plot_menu.cpu-waiting");
  desk().click("plot_menu.time");
  EXPECT_THAT(keys(), ElementsAre("rate", "gpu-busy", "h2d", "d2h", "loss", "time"));
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !state().plots.view.menu_open; }));
  EXPECT_TRUE(desk().has_place("plot.name.time") && desk().has_place("plot.name.h2d"));
  EXPECT_FALSE(desk().has_place("plot.name.cpu-waiting") || desk().has_place("plot.name.loss"));
  EXPECT_THAT(state().preferences.plots,
              ElementsAre("rate\tdefault", "gpu-busy\tdefault", "h2d", "d2h\tdefault", "loss\tdefault", "time"));
  // A right click opens it, too; "reset the plots" brings them back, and then there is nothing to remember.
  desk().point_at(middle(desk().place("plots")));
  state().plots.view.toggle_menu = false;
  desk().button(Button::Right, true);
  desk().frames(2);
  desk().button(Button::Right, false);
  ASSERT_TRUE(desk().until([&] { return state().plots.view.menu_open; }));
  desk().click("plot_menu.reset");
  EXPECT_EQ(keys().size(), 6u);
  EXPECT_TRUE(state().preferences.plots.empty());
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !state().plots.view.menu_open; }));
}

TEST_F(PlotsTest, ANameIsDraggedToAnotherPlace) {
  const Rect waiting = row("cpu-waiting");
  const Rect rate = row("rate");
  desk().drag({waiting.x + 40, waiting.y + waiting.height / 2}, {rate.x + 40, rate.y + 3});
  EXPECT_THAT(keys(), ElementsAre("cpu-waiting", "rate", "gpu-busy", "h2d", "d2h", "loss"));
  desk().frames(2);
  EXPECT_LT(row("cpu-waiting").y, row("rate").y);
}

TEST_F(PlotsTest, ADividerMakesOneLargerAndTheOtherSmaller) {
  const Rect rate = row("rate"), busy = row("gpu-busy"), waiting = row("cpu-waiting");
  const Point at = middle(desk().place("plot.divider.rate"));
  desk().drag(at, {at.x, at.y + 10});
  desk().frames(2);
  EXPECT_NEAR(row("rate").height, rate.height + 10, 2);
  EXPECT_NEAR(row("gpu-busy").height, busy.height - 10, 2);
  EXPECT_NEAR(row("cpu-waiting").y, waiting.y, 1);
}

TEST_F(PlotsTest, TheCrossTakesAPlotAway) {
  desk().click("plot.close.gpu-busy");
  EXPECT_THAT(keys(), ElementsAre("rate", "cpu-waiting", "h2d", "d2h", "loss"));
}

TEST_F(PlotsTest, PointingShowsTheSameInstantInTheTimeline) {
  hold_still();
  state().plots.on_timeline_axis = true;
  const Rect area = desk().place("plots");
  const Point at{axis().left_px() + 300, area.y + 20};
  desk().point_at({at.x, 10});
  desk().frames(3);
  const int windows = ImGui::GetDrawData()->CmdListsCount;
  EXPECT_FALSE(desk().has_place("plots.when"));
  desk().point_at(at);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("plots.when"); }));
  EXPECT_EQ(ImGui::GetDrawData()->CmdListsCount, windows) << "no tooltip, which would cover lanes or curves";
  ASSERT_TRUE(state().plots.view.pointed_px.has_value());
  EXPECT_NEAR(*state().plots.view.pointed_px, at.x, 1);
  // On an axis of their own they say nothing of the timeline.
  state().plots.on_timeline_axis = false;
  desk().frames(2);
  EXPECT_FALSE(state().plots.view.pointed_px.has_value());
}

TEST_F(PlotsTest, OnTheTimelinesAxisTheyZoomAndPanIt) {
  hold_still();
  state().plots.on_timeline_axis = true;
  state().preferences.animation = false;
  const Rect area = desk().place("plots");
  const Point at{axis().left_px() + 300, area.y + 20};
  desk().point_at(at);
  const double zoom = axis().ns_per_pixel();
  desk().wheel(2);
  EXPECT_TRUE(desk().until([&] { return std::abs(axis().ns_per_pixel() - zoom / 1.5625) < zoom * 0.01; }));
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  const Nanoseconds begin = axis().begin_ns();
  desk().drag(at, {at.x - 100, at.y});
  EXPECT_NEAR(static_cast<double>(axis().begin_ns() - begin), 100 * axis().ns_per_pixel(), 6 * axis().ns_per_pixel());
  state().preferences.animation = true;
}

TEST_F(PlotsTest, TheGhostStaysBehindTheNextSettings) {
  desk().act(ui::Action::PinGhost);
  ASSERT_FALSE(state().plots.ghost.empty());
  const double then = state().plots.ghost.mean(ui::PlotKind::IterationsPerSecond);
  EXPECT_GT(then, 0);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("ghost_legend"); }));
  ASSERT_EQ(model().set("log_interval", std::int64_t{100}), "");
  ASSERT_TRUE(desk().until([&] { return !model().analysis().markers().empty(); }));
  wait_for_iterations(model().analysis().records().size() + 10);
  desk().frames(2);
  EXPECT_EQ(ui::stretch_begin(model().analysis(), ui::last_knob(model())), last_marker());
  const workload::Settings now = settings();
  EXPECT_THAT(ui::ghost_difference(state().plots.ghost, model().source().device().name, model().facts().workload, &now),
              HasSubstr("log interval 1"));
  // It outlives the run, and goes with the key or its x.
  run({"pinned=true"});
  EXPECT_FALSE(state().plots.ghost.empty());
  desk().frames(2);
  desk().click("ghost_away");
  EXPECT_TRUE(state().plots.ghost.empty());
  desk().act(ui::Action::PinGhost);
  EXPECT_FALSE(state().plots.ghost.empty());
  desk().act(ui::Action::PinGhost);
  EXPECT_TRUE(state().plots.ghost.empty());
}

}  // namespace
}  // namespace lanescope::ui_test
