// The window on its display: size and density, full screen, letters, how it ends, and what keeps it from opening.
#include <epoxy/gl.h>
// epoxy first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <X11/keysym.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "shell/preferences.h"
#include "window/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;

class StartTest : public testing::Test {
 protected:
  static ui::WindowOptions options() {
    ui::WindowOptions o;
    o.session.device = "sim:teaching";
    return o;
  }
  ui::ShellState& state() { return desk.state(); }

  Desk desk;
};

TEST_F(StartTest, TheSizeIsRemembered) {
  desk.remember("tour_done = true\nwindow_width = 1000\nwindow_height = 700");
  desk.open(options());
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1000);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 700);
  glfwSetWindowSize(desk.window().handle(), 1100, 720);
  ASSERT_TRUE(desk.until([] { return ImGui::GetIO().DisplaySize.x == 1100; }));
  desk.close();
  desk.open(options());
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1100);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 720);
}

// Sizes are remembered in unscaled pixels: on a display with twice the density the window is as large to the eye.
TEST_F(StartTest, TheSizeFollowsTheScaleOfTheDisplay) {
  desk.remember("tour_done = true\nwindow_width = 920\nwindow_height = 580");
  desk.hands().set_density(192);
  desk.open(options());
  EXPECT_EQ(state().content_scale, 2);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1840);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 1160);
  desk.close();
  desk.hands().set_density(96);
  desk.open(options());
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 920);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 580);
}

#if IMGUI_VERSION_NUM < 19200
// Sampled nearest, a software renderer reads a quarter of the texels.
TEST_F(StartTest, TheFirstLettersAreSampledLikeLaterOnesAndThereOnce) {
  desk.open(options());
  desk.frames(3);
  const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const auto parameter = [](auto get, GLenum name) {
    GLint value = 0;
    get(name, &value);
    return value;
  };
  int of_letters = 0;
  for (GLuint texture = 1; texture < 64; ++texture) {
    if (!glIsTexture(texture)) continue;
    glBindTexture(GL_TEXTURE_2D, texture);
    const auto of_level = [](GLenum name, GLint* value) { glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, name, value); };
    if (parameter(of_level, GL_TEXTURE_WIDTH) != atlas.TexWidth) continue;
    if (parameter(of_level, GL_TEXTURE_HEIGHT) != atlas.TexHeight) continue;
    ++of_letters;
    const auto of_texture = [](GLenum name, GLint* value) { glGetTexParameteriv(GL_TEXTURE_2D, name, value); };
    EXPECT_EQ(parameter(of_texture, GL_TEXTURE_MIN_FILTER), GL_NEAREST);
    EXPECT_EQ(parameter(of_texture, GL_TEXTURE_MAG_FILTER), GL_NEAREST);
  }
  EXPECT_EQ(of_letters, 1);
}
#endif

// The window's size comes back when it no longer fills the screen.
TEST_F(StartTest, FullScreenAndBack) {
  desk.remember("tour_done = true");
  desk.open(options());
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  desk.key(XK_F11);
  ASSERT_TRUE(desk.until([&] { return glfwGetWindowMonitor(desk.window().handle()) != nullptr; }));
  desk.frames(3);
  desk.key(XK_F11);
  ASSERT_TRUE(desk.until([&] {
    const ImVec2 now = ImGui::GetIO().DisplaySize;
    return !glfwGetWindowMonitor(desk.window().handle()) && now.x == size.x && now.y == size.y;
  }));
}

TEST_F(StartTest, CtrlQQuits) {
  desk.remember("tour_done = true");
  desk.open(options());
  desk.hands().key(XK_Control_L, true);
  desk.hands().key(XK_q, true);
  int frames = 0;
  while (frames < 1000 && desk.window().frame()) ++frames;
  desk.hands().key(XK_q, false);
  desk.hands().key(XK_Control_L, false);
  EXPECT_LT(frames, 1000);
}

// The program ends as one that has failed, unless something else was shown instead.
TEST_F(StartTest, AFileThatCannotBeParsedIsSaidAtTheEnd) {
  desk.remember("tour_done = true");
  ui::WindowOptions o = options();
  o.open = {desk.home() / "cut.json"};
  std::ofstream(o.open[0]) << R"({"traceEvents": [{"ph": "X", "cat": "kernel")";
  for (const bool shown_instead : {false, true}) {
    desk.open(o);
    ASSERT_TRUE(desk.until([&] { return desk.has_place("nothing"); }));
    if (shown_instead) {
      desk.key(XK_r);
      ASSERT_TRUE(desk.until([&] { return state().model.live(); }));
      EXPECT_EQ(desk.window().failure(), "");
    } else {
      EXPECT_THAT(desk.window().failure(), HasSubstr("cut.json: the file is truncated"));
    }
    ui::perform(state(), ui::Action::Quit);
    if (shown_instead) {
      EXPECT_NO_THROW(desk.window().run());
    } else {
      EXPECT_THROW(desk.window().run(), base::FileError);
    }
  }
}

// It is said in one line, and the display is left as it was: the next window opens.
TEST_F(StartTest, WhatKeepsItFromOpeningIsSaidInOneLine) {
  const auto message = [&](const ui::WindowOptions& o) {
    try {
      desk.open(o);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ui::WindowOptions unknown = options();
  unknown.session.device = "sim:no-such";
  EXPECT_THAT(message(unknown), HasSubstr("no-such"));
  const std::string display = std::getenv("DISPLAY");
  setenv("DISPLAY", ":65535", 1);
  const std::string no_display = message(options());
  setenv("DISPLAY", display.c_str(), 1);
  EXPECT_THAT(no_display, HasSubstr("no display"));
  EXPECT_THAT(no_display, HasSubstr("lanescope run"));
  EXPECT_EQ(no_display.find('\n'), std::string::npos);
  desk.open(options());
  EXPECT_TRUE(desk.until([&] { return state().model.analysis().records().size() > 2; }));
}

}  // namespace
}  // namespace lanescope::ui_test
