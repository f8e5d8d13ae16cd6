#include "shell/focus_walk.h"

#include <gtest/gtest.h>

#include "shell/keys.h"

namespace lanescope::ui {
namespace {

constexpr std::uint32_t kTop = 1, kLeft = 2, kPopup = 3;

Control control(const std::string& name, std::uint32_t panel, Rect box) {
  return {name, box, panel, panel, {0, 0, 1000, 1000}, false};
}

// Two panels, drawn top bar first; the bar's badge is drawn before the menu at its left.
std::vector<Control> two_panels() {
  return {control("badge", kTop, {900, 10, 90, 26}),  control("menu", kTop, {10, 10, 26, 26}),
          control("knob", kLeft, {10, 100, 200, 20}), control("value", kLeft, {150, 80, 60, 24}),
          control("a", kLeft, {10, 140, 60, 26}),     control("b", kLeft, {80, 140, 60, 26})};
}

std::vector<std::string> names(const FocusWalk& walk) {
  std::vector<std::string> found;
  for (const Control& c : walk.controls()) found.push_back(c.name);
  return found;
}

std::string at(const FocusWalk& walk) { return walk.focused() ? walk.focused()->name : ""; }

TEST(FocusWalkTest, ReadsFromTopToBottomAndLeftToRight) {
  FocusWalk walk;
  walk.begin(two_panels());
  EXPECT_EQ(names(walk), (std::vector<std::string>{"menu", "badge", "value", "knob", "a", "b"}));
}

// A lane on its way in or out has no height yet.
TEST(FocusWalkTest, AControlWithoutAHeightIsOneOfThem) {
  std::vector<Control> controls = two_panels();
  for (Control& control : controls) control.box.height = 0;
  EXPECT_EQ(in_reading_order(controls).size(), controls.size());
}

TEST(FocusWalkTest, GoesAroundInBothDirections) {
  FocusWalk walk;
  walk.begin(two_panels());
  EXPECT_EQ(at(walk), "");
  walk.step(1);
  EXPECT_EQ(at(walk), "menu");
  walk.step(-1);
  EXPECT_EQ(at(walk), "b");
  walk.step(1);
  EXPECT_EQ(at(walk), "menu");
}

TEST(FocusWalkTest, StaysWithItsControlWhereverThatMoves) {
  FocusWalk walk;
  walk.begin(two_panels());
  for (int i = 0; i < 4; ++i) walk.step(1);
  ASSERT_EQ(at(walk), "knob");
  std::vector<Control> moved = two_panels();
  moved[2].box.y = 500;
  moved.push_back(control("new", kLeft, {10, 50, 60, 26}));
  walk.begin(moved);
  EXPECT_EQ(at(walk), "knob");
  walk.step(-1);
  EXPECT_EQ(at(walk), "b");
}

TEST(FocusWalkTest, GoesOnFromThePlaceOfAControlThatIsGone) {
  FocusWalk walk;
  walk.begin(two_panels());
  for (int i = 0; i < 3; ++i) walk.step(1);
  ASSERT_EQ(at(walk), "value");
  std::vector<Control> fewer = two_panels();
  fewer.erase(fewer.begin() + 3);
  walk.begin(fewer);
  EXPECT_EQ(at(walk), "");
  walk.step(1);
  EXPECT_EQ(at(walk), "knob");
}

TEST(FocusWalkTest, ComesBackFromWhatCoveredIt) {
  FocusWalk walk;
  walk.begin(two_panels());
  walk.step(1);
  walk.step(1);
  ASSERT_EQ(at(walk), "badge");
  walk.begin({control("gpu", kPopup, {800, 50, 90, 26}), control("cpu", kPopup, {800, 80, 90, 26})});
  EXPECT_EQ(at(walk), "");
  EXPECT_FALSE(focus_key(walk, {key::Escape, 0}, false)) << "Esc is the popup's";
  walk.step(1);
  EXPECT_EQ(at(walk), "gpu");
  walk.begin(two_panels());
  EXPECT_EQ(at(walk), "badge");
}

TEST(FocusWalkTest, ArrowsMoveWithinAPanelOrTurn) {
  FocusWalk walk;
  std::vector<Control> controls = two_panels();
  controls[2].turns = true;
  walk.begin(controls);
  for (int i = 0; i < 4; ++i) walk.step(1);
  ASSERT_EQ(at(walk), "knob");
  EXPECT_TRUE(focus_key(walk, {key::Right, 0}, false));
  EXPECT_EQ(at(walk), "knob");
  EXPECT_EQ(walk.take_turn("other"), 0);
  EXPECT_EQ(walk.take_turn("knob"), 1);
  EXPECT_EQ(walk.take_turn("knob"), 0) << "taken once";
  focus_key(walk, {key::Down, 0}, false);
  EXPECT_EQ(at(walk), "a");
  focus_key(walk, {key::Right, 0}, false);
  EXPECT_EQ(at(walk), "b");
  focus_key(walk, {key::Right, 0}, false);
  EXPECT_EQ(at(walk), "b") << "nothing is right of it";
  focus_key(walk, {key::Up, 0}, false);
  focus_key(walk, {key::Up, 0}, false);
  EXPECT_EQ(at(walk), "value") << "and not into the panel above";
  focus_key(walk, {key::Up, 0}, false);
  EXPECT_EQ(at(walk), "value");
}

// The card's middle lies on its button, so the click goes to its corner.
TEST(FocusWalkTest, PressesAControlBesideTheOnesThatLieOnIt) {
  FocusWalk walk;
  walk.begin({control("card", kLeft, {10, 100, 200, 100}), control("card.try", kLeft, {20, 140, 150, 24})});
  walk.step(1);
  ASSERT_EQ(at(walk), "card");
  EXPECT_TRUE(focus_key(walk, {key::Enter, 0}, false));
  ASSERT_TRUE(walk.pressing.has_value());
  EXPECT_EQ(walk.pressing->x, 16);
  EXPECT_EQ(walk.pressing->y, 106);
  walk.pressing.reset();
  walk.step(1);
  walk.press();
  ASSERT_TRUE(walk.pressing.has_value());
  EXPECT_EQ(walk.pressing->x, 95);
  EXPECT_EQ(walk.pressing->y, 152);
}

TEST(FocusWalkTest, KeysAreItsOwnOnlyDuringTheWalk) {
  FocusWalk walk;
  walk.begin(two_panels());
  EXPECT_FALSE(focus_key(walk, {key::Enter, 0}, false));
  walk.step(1);
  EXPECT_FALSE(focus_key(walk, {key::Enter, modifier::Control}, false));
  EXPECT_FALSE(focus_key(walk, {key::R, 0}, false));
  EXPECT_TRUE(focus_key(walk, {key::Enter, 0}, true));
  EXPECT_FALSE(walk.pressing.has_value()) << "a key that is held presses once";
  EXPECT_TRUE(focus_key(walk, {key::Escape, 0}, false));
  EXPECT_FALSE(walk.on());
  EXPECT_FALSE(focus_key(walk, {key::Escape, 0}, false)) << "the next Esc is for others";
}

}  // namespace
}  // namespace lanescope::ui
