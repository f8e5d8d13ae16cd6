#include "shell/bindings.h"

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kCtrl = GLFW_MOD_CONTROL, kShift = GLFW_MOD_SHIFT, kAlt = GLFW_MOD_ALT;
constexpr KeyChord kP{GLFW_KEY_P, 0}, kR{GLFW_KEY_R, 0}, kF9{GLFW_KEY_F9, 0};

/// The standard keys hold again after each test.
class BindingsTest : public testing::Test {
 protected:
  ~BindingsTest() override { apply_bindings({}); }
  Bindings own_;
};

TEST(Chords, AreWrittenAndReadAgain) {
  EXPECT_EQ(chord_name({GLFW_KEY_S, kShift | kCtrl}), "Ctrl+Shift+S");
  EXPECT_EQ(chord_name({GLFW_KEY_PAGE_UP, kAlt}), "Alt+PageUp");
  EXPECT_EQ(parse_chord("ctrl+shift+s"), (KeyChord{GLFW_KEY_S, kShift | kCtrl}));
  EXPECT_EQ(parse_chord("Shift+Control+S"), (KeyChord{GLFW_KEY_S, kShift | kCtrl}));
  EXPECT_EQ(parse_chord("?"), (KeyChord{GLFW_KEY_SLASH, kShift}));
  EXPECT_EQ(parse_chord("F25"), (KeyChord{GLFW_KEY_F25, 0}));
  EXPECT_EQ(parse_chord("Keypad7"), (KeyChord{GLFW_KEY_KP_7, 0}));
  for (const char* wrong : {"", "Ctrl+", "F0", "F26", "Fx", "Hyper+S", "Ctrl+Ctrl+S", "SS", "ä", "Keypadx"}) {
    EXPECT_EQ(parse_chord(wrong), std::nullopt) << wrong;
  }
  // Every key of the table.
  for (const ActionInfo& a : standard_actions()) {
    for (const KeyChord& chord : a.keys) EXPECT_EQ(parse_chord(chord_name(chord)), chord) << a.name;
  }
}

TEST_F(BindingsTest, AreTheTableUntilAPersonSaysElse) {
  for (const ActionInfo& a : standard_actions()) EXPECT_EQ(own_.keys(a.action), a.keys) << a.name;
  own_.set(Action::PauseRun, {kF9});
  EXPECT_THAT(own_.keys(Action::PauseRun), ElementsAre(kF9));
  EXPECT_TRUE(own_.own(Action::PauseRun));
  own_.set(Action::PauseRun, info(Action::PauseRun).keys);
  EXPECT_FALSE(own_.any_own());
}

TEST_F(BindingsTest, AnOwnKeyIsNobodyElses) {
  own_.set(Action::PauseRun, {kP});
  EXPECT_THAT(own_.keys(Action::TogglePinned), IsEmpty());
  apply_bindings(own_);
  EXPECT_EQ(keys_text(info(Action::PauseRun)), "P");
  EXPECT_EQ(keys_text(info(Action::TogglePinned)), "");
  EXPECT_EQ(key_text(info(Action::TogglePinned).keys.front()), "–") << "there is always a first one to show";
  EXPECT_EQ(own_.taken_by(kP, Action::TogglePinned), Action::PauseRun);
  apply_bindings({});
  EXPECT_EQ(keys_text(info(Action::TogglePinned)), "P");
}

class PressesTest : public BindingsTest {
 protected:
  KeyPresses keys_;
};

TEST_F(PressesTest, APressIsAnAction) {
  EXPECT_EQ(keys_.press(kP), Action::TogglePinned);
  EXPECT_EQ(keys_.press({GLFW_KEY_F, kCtrl}), Action::Search);
  EXPECT_EQ(keys_.press({GLFW_KEY_W, kAlt}), std::nullopt);
  EXPECT_EQ(keys_.repeat({GLFW_KEY_PERIOD, 0}), Action::NextEvent);
  EXPECT_EQ(keys_.repeat(kP), std::nullopt) << "a switch would flicker";
  EXPECT_FALSE(keys_.any());
}

TEST_F(PressesTest, AHeldKeyWithModifiersIsNotThePlainOne) {
  keys_.press({GLFW_KEY_LEFT, 0});
  EXPECT_THAT(keys_.held(0), ElementsAre(Action::PanLeft));
  EXPECT_THAT(keys_.held(kShift), ElementsAre(Action::PanLeft)) << "in coarse steps";
  EXPECT_THAT(keys_.held(kCtrl), IsEmpty());
  EXPECT_THAT(keys_.held(kAlt), IsEmpty());
  keys_.release(GLFW_KEY_LEFT);
  // Shift+F is the whole run, not F.
  EXPECT_EQ(keys_.press({GLFW_KEY_F, kShift}), Action::FitAll);
  EXPECT_EQ(keys_.press({GLFW_KEY_D, kShift}), std::nullopt);
  EXPECT_THAT(keys_.held(kShift), ElementsAre(Action::PanRight));
}

TEST_F(PressesTest, OwnKeysArePressed) {
  own_.set(Action::PanLeft, {kP});
  own_.set(Action::PauseRun, {kF9});
  apply_bindings(own_);
  EXPECT_EQ(keys_.press(kP), std::nullopt);
  EXPECT_THAT(keys_.held(0), ElementsAre(Action::PanLeft));
  EXPECT_EQ(keys_.press(kF9), Action::PauseRun);
  EXPECT_EQ(keys_.press({GLFW_KEY_SPACE, 0}), std::nullopt);
}

}  // namespace
}  // namespace lanescope::ui
