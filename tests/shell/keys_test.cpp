#include "shell/keys.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

// The window passes GLFW's numbers on as they are.
TEST(Keys, AreNumberedAsGlfwNumbersThem) {
  EXPECT_EQ(key::Space, GLFW_KEY_SPACE);
  EXPECT_EQ(key::Apostrophe, GLFW_KEY_APOSTROPHE);
  EXPECT_EQ(key::Comma, GLFW_KEY_COMMA);
  EXPECT_EQ(key::Minus, GLFW_KEY_MINUS);
  EXPECT_EQ(key::Period, GLFW_KEY_PERIOD);
  EXPECT_EQ(key::Slash, GLFW_KEY_SLASH);
  EXPECT_EQ(key::Digit1, GLFW_KEY_1);
  EXPECT_EQ(key::Digit2, GLFW_KEY_2);
  EXPECT_EQ(key::Digit3, GLFW_KEY_3);
  EXPECT_EQ(key::Digit4, GLFW_KEY_4);
  EXPECT_EQ(key::Equal, GLFW_KEY_EQUAL);
  EXPECT_EQ(key::A, GLFW_KEY_A);
  EXPECT_EQ(key::B, GLFW_KEY_B);
  EXPECT_EQ(key::C, GLFW_KEY_C);
  EXPECT_EQ(key::D, GLFW_KEY_D);
  EXPECT_EQ(key::E, GLFW_KEY_E);
  EXPECT_EQ(key::F, GLFW_KEY_F);
  EXPECT_EQ(key::G, GLFW_KEY_G);
  EXPECT_EQ(key::H, GLFW_KEY_H);
  EXPECT_EQ(key::I, GLFW_KEY_I);
  EXPECT_EQ(key::J, GLFW_KEY_J);
  EXPECT_EQ(key::K, GLFW_KEY_K);
  EXPECT_EQ(key::L, GLFW_KEY_L);
  EXPECT_EQ(key::M, GLFW_KEY_M);
  EXPECT_EQ(key::N, GLFW_KEY_N);
  EXPECT_EQ(key::O, GLFW_KEY_O);
  EXPECT_EQ(key::P, GLFW_KEY_P);
  EXPECT_EQ(key::Q, GLFW_KEY_Q);
  EXPECT_EQ(key::R, GLFW_KEY_R);
  EXPECT_EQ(key::S, GLFW_KEY_S);
  EXPECT_EQ(key::T, GLFW_KEY_T);
  EXPECT_EQ(key::U, GLFW_KEY_U);
  EXPECT_EQ(key::V, GLFW_KEY_V);
  EXPECT_EQ(key::W, GLFW_KEY_W);
  EXPECT_EQ(key::X, GLFW_KEY_X);
  EXPECT_EQ(key::Y, GLFW_KEY_Y);
  EXPECT_EQ(key::Z, GLFW_KEY_Z);
  EXPECT_EQ(key::LeftBracket, GLFW_KEY_LEFT_BRACKET);
  EXPECT_EQ(key::Backslash, GLFW_KEY_BACKSLASH);
  EXPECT_EQ(key::RightBracket, GLFW_KEY_RIGHT_BRACKET);
  EXPECT_EQ(key::World1, GLFW_KEY_WORLD_1);
  EXPECT_EQ(key::World2, GLFW_KEY_WORLD_2);
  EXPECT_EQ(key::Escape, GLFW_KEY_ESCAPE);
  EXPECT_EQ(key::Enter, GLFW_KEY_ENTER);
  EXPECT_EQ(key::Tab, GLFW_KEY_TAB);
  EXPECT_EQ(key::Backspace, GLFW_KEY_BACKSPACE);
  EXPECT_EQ(key::Insert, GLFW_KEY_INSERT);
  EXPECT_EQ(key::Delete, GLFW_KEY_DELETE);
  EXPECT_EQ(key::Right, GLFW_KEY_RIGHT);
  EXPECT_EQ(key::Left, GLFW_KEY_LEFT);
  EXPECT_EQ(key::Down, GLFW_KEY_DOWN);
  EXPECT_EQ(key::Up, GLFW_KEY_UP);
  EXPECT_EQ(key::PageUp, GLFW_KEY_PAGE_UP);
  EXPECT_EQ(key::PageDown, GLFW_KEY_PAGE_DOWN);
  EXPECT_EQ(key::Home, GLFW_KEY_HOME);
  EXPECT_EQ(key::End, GLFW_KEY_END);
  EXPECT_EQ(key::ScrollLock, GLFW_KEY_SCROLL_LOCK);
  EXPECT_EQ(key::Pause, GLFW_KEY_PAUSE);
  EXPECT_EQ(key::F1, GLFW_KEY_F1);
  EXPECT_EQ(key::F3, GLFW_KEY_F3);
  EXPECT_EQ(key::F4, GLFW_KEY_F4);
  EXPECT_EQ(key::F5, GLFW_KEY_F5);
  EXPECT_EQ(key::F10, GLFW_KEY_F10);
  EXPECT_EQ(key::F11, GLFW_KEY_F11);
  EXPECT_EQ(key::F12, GLFW_KEY_F12);
  EXPECT_EQ(key::F25, GLFW_KEY_F25);
  EXPECT_EQ(key::Keypad0, GLFW_KEY_KP_0);
  EXPECT_EQ(key::Keypad9, GLFW_KEY_KP_9);
  EXPECT_EQ(key::KeypadDecimal, GLFW_KEY_KP_DECIMAL);
  EXPECT_EQ(key::KeypadDivide, GLFW_KEY_KP_DIVIDE);
  EXPECT_EQ(key::KeypadMultiply, GLFW_KEY_KP_MULTIPLY);
  EXPECT_EQ(key::KeypadSubtract, GLFW_KEY_KP_SUBTRACT);
  EXPECT_EQ(key::KeypadAdd, GLFW_KEY_KP_ADD);
  EXPECT_EQ(key::KeypadEnter, GLFW_KEY_KP_ENTER);
  EXPECT_EQ(key::KeypadEqual, GLFW_KEY_KP_EQUAL);
  EXPECT_EQ(key::Menu, GLFW_KEY_MENU);
  EXPECT_EQ(modifier::Shift, GLFW_MOD_SHIFT);
  EXPECT_EQ(modifier::Control, GLFW_MOD_CONTROL);
  EXPECT_EQ(modifier::Alt, GLFW_MOD_ALT);
  EXPECT_EQ(modifier::Super, GLFW_MOD_SUPER);
}

}  // namespace
}  // namespace lanescope::ui
