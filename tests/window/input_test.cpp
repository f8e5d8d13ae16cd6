// Mouse, keyboard and dropped files of a real display arrive. What they do is tested at the desk (tests/desk).
#include <epoxy/gl.h>
// epoxy first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <X11/keysym.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>
#include <string>

#include "window/desk.h"

namespace lanescope::ui_test {
namespace {

class InputTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    wait_for_iterations(12);
    hold_still();
    desk().point_at(over_lanes());
  }
  Point over_lanes() {
    const Rect r = desk().place("timeline");
    return {axis().left_px() + 0.7f * axis().width_px(), r.y + 120};
  }
  void settle() {
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
  void button(int number, bool down, int of_imgui) {
    desk().hands().button(number, down);
    ASSERT_TRUE(desk().until([&] { return ImGui::GetIO().MouseDown[of_imgui] == down; }));
    desk().frames(2);
  }
};

TEST_F(InputTest, AClickAndADrag) {
  desk().click("pause");
  EXPECT_FALSE(model().paused());
  desk().click("pause");
  EXPECT_TRUE(model().paused());
  hold_still();
  state().preferences.animation = false;  // the view stops where the hand does
  const ui::TimeAxis before = axis();
  const Point from = over_lanes();
  desk().drag(from, {from.x - 160, from.y});
  state().preferences.animation = true;
  EXPECT_NEAR(before.offset_px(axis()), 160, 5);
}

TEST_F(InputTest, TheWheelBothWays) {
  const double zoom = axis().ns_per_pixel();
  desk().wheel(3);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom / std::pow(1.25, 3), zoom * 0.001);
  desk().wheel(-3);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom, zoom * 0.001);
  desk().wheel(1, kControl);
  settle();
  EXPECT_NEAR(axis().ns_per_pixel(), zoom / 1.05, zoom * 0.001);
}

TEST_F(InputTest, TheWheelSideways) {
  const ui::TimeAxis before = axis();
  for (int i = 0; i < 2; ++i) {
    desk().hands().button(7, true);
    desk().hands().button(7, false);
    desk().frames(2);
  }
  settle();
  EXPECT_GT(axis().begin_ns(), before.begin_ns());
  EXPECT_EQ(axis().ns_per_pixel(), before.ns_per_pixel());
}

TEST_F(InputTest, TheMiddleAndTheRightButton) {
  const ui::TimeAxis before = axis();
  button(2, true, 2);
  desk().point_at({over_lanes().x - 300, over_lanes().y});
  EXPECT_EQ(state().navigation.drag.kind, ui::DragKind::ZoomIn);
  button(2, false, 2);
  settle();
  EXPECT_LT(axis().span_ns(), before.span_ns());
  button(3, true, 1);
  button(3, false, 1);
  EXPECT_TRUE(desk().until([] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }));
  desk().key(XK_Escape);
}

TEST_F(InputTest, TextIsTypedAndEdited) {
  desk().key(XK_k, kControl);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("palette.field") && ImGui::GetIO().WantTextInput; }));
  desk().frames(2);
  const auto typed = [&] { return state().overlays.palette.typed; };
  desk().type("High (x)");
  EXPECT_TRUE(desk().until([&] { return typed() == "High (x)"; })) << typed();
  for (int i = 0; i < 4; ++i) desk().tap(XK_BackSpace);
  EXPECT_TRUE(desk().until([&] { return typed() == "High"; })) << typed();
  desk().key(XK_Return);
  EXPECT_EQ(state().preferences.theme, ui::ThemeName::HighContrast);
}

TEST_F(InputTest, KeysWithOthersAndAloneAndHeld) {
  desk().tap(XK_equal, kControl);
  EXPECT_FLOAT_EQ(state().preferences.font_scale, 1.1f);
  desk().key(XK_slash, kShift);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Help);
  desk().key(XK_Escape);
  desk().tap(XK_z, kAlt);
  EXPECT_TRUE(desk().until([&] { return state().toast && state().toast->text.starts_with("no knob was turned"); }));
  desk().point_at({20, 20});
  const double zoom = axis().ns_per_pixel();
  desk().key_down(XK_w);
  EXPECT_TRUE(desk().until([&] { return axis().ns_per_pixel() < 0.8 * zoom; }));
  desk().key_up(XK_w);
  settle();
  const ui::TimeAxis released = axis();
  desk().frames(5);
  EXPECT_EQ(axis(), released);
}

// The mouse stays where it is: the control is clicked without it.
TEST_F(InputTest, EnterClicksTheControlThatHasTheFocus) {
  const Hands::Pointer before = desk().hands().pointer();
  for (int i = 0; i < 40 && !state().focus.focused(); ++i) desk().tap(XK_F6);
  ASSERT_NE(state().focus.focused(), nullptr);
  desk().tap(XK_Return);
  ASSERT_TRUE(desk().until([&] { return !state().focus.pressing; }));
  desk().frames(2);
  EXPECT_EQ(desk().hands().pointer().x, before.x);
  EXPECT_NEAR(ImGui::GetIO().MousePos.x, over_lanes().x, 1.01f);
}

// GLFW calls this when files are dropped on the window.
TEST_F(InputTest, DroppedFilesAreOpened) {
  GLFWwindow* const window = desk().window().handle();
  const GLFWdropfun dropped = glfwSetDropCallback(window, nullptr);
  glfwSetDropCallback(window, dropped);
  const char* paths[] = {LANESCOPE_SOURCE_DIR "/tests/data/ddp-rank0.json.gz",
                         LANESCOPE_SOURCE_DIR "/tests/data/ddp-rank1.json.gz"};
  dropped(window, 2, paths);
  ASSERT_TRUE(desk().until([&] { return !model().live() && !state().opening.running(); }));
  EXPECT_EQ(model().analysis().links().owners().gpus().size(), 2u);
}

}  // namespace
}  // namespace lanescope::ui_test
