#include "shell/bindings.h"

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kCtrl = GLFW_MOD_CONTROL, kShift = GLFW_MOD_SHIFT, kAlt = GLFW_MOD_ALT;
constexpr KeyChord kP{GLFW_KEY_P, 0}, kR{GLFW_KEY_R, 0}, kS{GLFW_KEY_S, 0}, kF9{GLFW_KEY_F9, 0};

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
  EXPECT_EQ(keys_text(info(Action::TogglePinned)), "–");
  EXPECT_EQ(key_text(info(Action::TogglePinned).keys.front()), "–") << "there is always a first one to show";
  EXPECT_EQ(own_.taken_by(kP, Action::TogglePinned), Action::PauseRun);
  apply_bindings({});
  EXPECT_EQ(keys_text(info(Action::TogglePinned)), "P");
}

TEST_F(BindingsTest, SIsTwoThingsByRight) {
  EXPECT_EQ(own_.taken_by(kS, Action::Screenshot), std::nullopt);
  EXPECT_EQ(own_.taken_by(kS, Action::ZoomOut), std::nullopt);
  EXPECT_TRUE(own_.taken_by(kS, Action::PauseRun).has_value());
  own_.set(Action::ZoomOut, {kS});
  EXPECT_THAT(own_.keys(Action::Screenshot), ElementsAre(kS, KeyChord{GLFW_KEY_F12, 0}));
}

class PressesTest : public BindingsTest {
 protected:
  KeyPresses keys_;
  KeyPresses::Clock::time_point now_{};
};

TEST_F(PressesTest, APressIsAnAction) {
  EXPECT_EQ(keys_.press(kP, now_), Action::TogglePinned);
  EXPECT_EQ(keys_.press({GLFW_KEY_COMMA, kShift}, now_), Action::PreviousSameName);
  EXPECT_EQ(keys_.press({GLFW_KEY_EQUAL, kShift}, now_), Action::TallerLane);
  EXPECT_EQ(keys_.press({GLFW_KEY_W, kAlt}, now_), std::nullopt);
  EXPECT_EQ(keys_.repeat({GLFW_KEY_PERIOD, 0}), Action::NextEvent);
  EXPECT_EQ(keys_.repeat(kP), std::nullopt) << "a switch would flicker";
  EXPECT_FALSE(keys_.any());
}

// 250 ms tell a tap on S from holding it.
TEST_F(PressesTest, STappedIsAPictureAndHeldZoomsOut) {
  EXPECT_EQ(keys_.press(kS, now_), std::nullopt);
  EXPECT_THAT(keys_.held(0, now_ + milliseconds(249)), IsEmpty());
  EXPECT_EQ(keys_.release(GLFW_KEY_S, now_ + milliseconds(249)), Action::Screenshot);
  keys_.press(kS, now_);
  EXPECT_THAT(keys_.held(0, now_ + milliseconds(250)), ElementsAre(Action::ZoomOut));
  EXPECT_EQ(keys_.release(GLFW_KEY_S, now_ + milliseconds(250)), std::nullopt);
  EXPECT_FALSE(keys_.any());
}

TEST_F(PressesTest, AHeldKeyWithModifiersIsNotThePlainOne) {
  keys_.press({GLFW_KEY_LEFT, 0}, now_);
  EXPECT_THAT(keys_.held(0, now_), ElementsAre(Action::PanLeft));
  EXPECT_THAT(keys_.held(kShift, now_), ElementsAre(Action::PanLeft)) << "in coarse steps";
  EXPECT_THAT(keys_.held(kCtrl, now_), IsEmpty());
  EXPECT_THAT(keys_.held(kAlt, now_), IsEmpty());
  keys_.release(GLFW_KEY_LEFT, now_);
  // Alt+Left is the view before; Alt let go first leaves nothing that pans.
  EXPECT_EQ(keys_.press({GLFW_KEY_LEFT, kAlt}, now_), Action::ViewBack);
  EXPECT_THAT(keys_.held(0, now_), IsEmpty());
  // Shift+S is a picture of the timeline, not zooming out coarsely.
  keys_.press(kS, now_);
  EXPECT_THAT(keys_.held(kShift, now_ + milliseconds(300)), IsEmpty());
  EXPECT_EQ(keys_.press({GLFW_KEY_D, kShift}, now_), std::nullopt);
  EXPECT_THAT(keys_.held(kShift, now_), ElementsAre(Action::PanRight));
}

TEST_F(PressesTest, OwnKeysArePressed) {
  own_.set(Action::PanLeft, {kP});
  own_.set(Action::PauseRun, {kF9});
  apply_bindings(own_);
  EXPECT_EQ(keys_.press(kP, now_), std::nullopt);
  EXPECT_THAT(keys_.held(0, now_), ElementsAre(Action::PanLeft));
  EXPECT_EQ(keys_.press(kF9, now_), Action::PauseRun);
  EXPECT_EQ(keys_.press({GLFW_KEY_SPACE, 0}, now_), std::nullopt);
}

}  // namespace
}  // namespace lanescope::ui
