// A picture is copied in a real window, and another program pastes it.
#include <X11/keysym.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <cstdlib>

#include "base/platform/child_process.h"
#include "window/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CopyTest : public WindowTest {
 protected:
  void SetUp() override {
    unsetenv("WAYLAND_DISPLAY");
    WindowTest::SetUp();
    hold_still();
  }
  std::string said() {
    EXPECT_TRUE(desk().until([&] { return state().toast.has_value(); }));
    return state().toast ? state().toast->text : "";
  }
  static std::string pasted() {
    return base::run_program({"xclip", "-selection", "clipboard", "-t", "image/png", "-o"}).out;
  }
};

TEST_F(CopyTest, AKeyAndAButtonGiveTheClipboardAPicture) {
  state().toast.reset();
  desk().tap(XK_c, kControl);  // nothing is selected
  EXPECT_THAT(said(), HasSubstr(" pixels"));
  EXPECT_THAT(pasted(), StartsWith("\x89PNG\r\n"));
  ImGui::SetClipboardText("text");  // what stands still has the same picture again
  state().toast.reset();
  desk().tap(XK_s, kControl);
  desk().click("picture.copy");
  EXPECT_THAT(said(), HasSubstr("3200 x "));
  EXPECT_THAT(pasted(), StartsWith("\x89PNG\r\n"));
  EXPECT_TRUE(desk().saved().empty());
  ImGui::SetClipboardText("text");  // the program that keeps the picture ends
  desk().frames(3);
}

}  // namespace
}  // namespace lanescope::ui_test
