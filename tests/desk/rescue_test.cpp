// A window that could not go on has left its run in a file: the next start offers it. How it comes to that is tested in
// tests/window.
#include "shell/rescue.h"

#include <gtest/gtest.h>

#include "desk/gpu_desk.h"

namespace lanescope::ui_test {
namespace {

class RescueTest : public DeskTest {
 protected:
  void SetUp() override {
    desk().go_by_the_clock();
    DeskTest::SetUp();
    session::SessionOptions options = usual().session;
    options.device = "cuda:0";
    state().requests.run = options;
    ASSERT_TRUE(desk().until([&] { return model().live() && !model().simulated(); }));
    ASSERT_TRUE(desk().until([&] { return model().trace().counts().recorded > 0; }));
  }
};

TEST_F(RescueTest, ASimulatedRunCanBeMadeAgain) {
  run({});
  EXPECT_EQ(ui::rescue_run(state(), "the display has gone"),
            "the display has gone; the run is simulated: its seed and settings make it again");
  EXPECT_EQ(ui::take_rescued_run(ui::rescue_folder()), std::nullopt);
}

TEST_F(RescueTest, AnOfferMovesNothingAndEscapePutsItAway) {
  desk().frames(3);
  const Rect lanes = desk().place("timeline");
  state().rescued_run = desk().home() / "run.lanescope";
  ASSERT_TRUE(desk().until([&] { return desk().has_place("notice"); }));
  desk().frames(3);
  EXPECT_EQ(desk().place("timeline").y, lanes.y);
  EXPECT_EQ(desk().place("timeline").height, lanes.height);
  desk().key(key::Escape);
  EXPECT_TRUE(state().rescued_run.empty());
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("notice"); }));
}

TEST_F(RescueTest, TheNextStartOffersTheRunOnce) {
  ui::rescue_run(state(), "the display has gone");
  const auto offered = ui::take_rescued_run(ui::rescue_folder());
  ASSERT_TRUE(offered.has_value());
  EXPECT_EQ(ui::take_rescued_run(ui::rescue_folder()), std::nullopt);
  EXPECT_FALSE(desk().has_place("notice"));
  state().rescued_run = *offered;
  ASSERT_TRUE(desk().until([&] { return desk().has_place("notice.again"); }));
  desk().click("notice.again");
  ASSERT_TRUE(desk().until([&] { return model().source().file() == *offered; }));
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("notice"); }));
}

TEST_F(RescueTest, AFileThatIsShownNeedsNoRescue) {
  ui::rescue_run(state(), "the display has gone");
  const auto kept = ui::take_rescued_run(ui::rescue_folder());
  ASSERT_TRUE(kept.has_value());
  state().requests.files = {*kept};
  ASSERT_TRUE(desk().until([&] { return model().source().file() == *kept; }));
  EXPECT_EQ(ui::rescue_run(state(), "the display has gone"), "the display has gone");
  EXPECT_EQ(ui::take_rescued_run(ui::rescue_folder()), std::nullopt);
}

}  // namespace
}  // namespace lanescope::ui_test
