// The run itself: pause, speed, restart, and another workload or device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "desk/desk.h"
#include "window/panels/run/run_panels.h"

namespace lanescope::ui_test {
namespace {

using trace::LaneKind;

class RunTest : public DeskTest {
 protected:
  /// Whether the live edge has stopped; it may take what was on its way.
  bool stands() {
    desk().frames(5);
    const Nanoseconds edge = model().live_edge();
    desk().frames(10);
    return model().live_edge() == edge;
  }
  bool moves() {
    const Nanoseconds edge = model().live_edge();
    return desk().until([&] { return model().live_edge() > edge; });
  }
};

TEST_F(RunTest, SpaceAndTheButtonPauseAndContinue) {
  EXPECT_TRUE(moves());
  desk().key(key::Space);
  EXPECT_TRUE(model().paused());
  EXPECT_TRUE(stands());
  desk().key(key::Space);
  EXPECT_FALSE(model().paused());
  EXPECT_TRUE(moves());
  desk().click("pause");
  EXPECT_TRUE(model().paused());
  EXPECT_TRUE(stands());
  desk().click("pause");
  EXPECT_TRUE(moves());
}

TEST_F(RunTest, TheSpeedMenuSetsTheSpeed) {
  for (const double speed : {1.0, 0.001, 0.1}) {
    desk().click("speed");
    desk().click("speed." + ui::speed_text(speed));
    EXPECT_DOUBLE_EQ(model().speed(), speed);
    EXPECT_FALSE(desk().has_place("speed.1x")) << "the menu stayed open";
  }
  desk().key(key::Minus);
  EXPECT_NEAR(model().speed(), 0.01, 1e-9);
  desk().key(key::Equal);
  desk().key(key::Equal);
  desk().key(key::Equal);
  EXPECT_DOUBLE_EQ(model().speed(), 1);
}

TEST_F(RunTest, RestartBeginsAnewWithTheSettingsAsTheyAre) {
  for (const bool by_key : {false, true}) {
    run({});
    desk().key(key::RightBracket);
    ASSERT_EQ(settings().integer("log_interval"), 2);
    wait_for_iterations(30);
    model().set_speed(0.1);
    const std::uint64_t before = model().generation();
    if (by_key) {
      desk().key(key::R);
    } else {
      desk().act(ui::Action::RestartRun);
    }
    ASSERT_TRUE(desk().until([&] { return model().generation() == before + 1; }));
    EXPECT_TRUE(markers().empty());
    EXPECT_EQ(settings().integer("log_interval"), 2);
    EXPECT_DOUBLE_EQ(model().speed(), 0.1);
    wait_for_iterations(5);
    EXPECT_EQ(trace::index_of(events_since(LaneKind::Iterations, 0).front()), 0u);
  }
}

TEST_F(RunTest, TheWorkloadMenuStartsAnotherWorkload) {
  state().drawer = ui::DrawerTab::Plots;
  desk().click("workload");
  desk().click("workload.iris-mlp");
  ASSERT_TRUE(desk().until([&] { return model().steering()->workload().name == "iris-mlp"; }));
  // This one computes its loss for real, and the plots have it.
  model().set_speed(1);
  ASSERT_TRUE(desk().until([&] {
    const auto records = model().analysis().records();
    return records.size() > 20 && std::isfinite(records.back().loss);
  }));
  const auto records = model().analysis().records();
  EXPECT_GT(records.back().loss, 0);
  EXPECT_LT(records.back().loss, 2);
  EXPECT_TRUE(desk().has_place("plot.loss"));
  EXPECT_EQ(settings().integer("batch_size"), 120);
}

TEST_F(RunTest, TheLabelSimulatedIsThere) {
  const Rect badge = desk().place("badge");
  EXPECT_GT(badge.width, 100);
  EXPECT_LT(badge.y, 46);
}

}  // namespace
}  // namespace lanescope::ui_test
