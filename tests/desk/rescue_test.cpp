// A window that could not go on has left its run in a file: the next start offers it. How it comes to that is tested in
// tests/window.
#include "shell/rescue.h"

#include <gtest/gtest.h>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

class RescueTest : public DeskTest {};

TEST_F(RescueTest, TheNextStartOffersTheRunOnce) {
  ASSERT_TRUE(desk().until([&] { return model().trace().counts().recorded > 0; }));
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
  ASSERT_TRUE(desk().until([&] { return model().trace().counts().recorded > 0; }));
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
