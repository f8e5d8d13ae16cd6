#include "shell/actions.h"

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace lanescope::ui {
namespace {

TEST(Actions, EveryActionIsInTheTableOnce) {
  std::set<Action> seen;
  for (const ActionInfo& a : actions()) EXPECT_TRUE(seen.insert(a.action).second) << a.name;
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(Action::Quit) + 1);
  for (const ActionInfo& a : actions()) EXPECT_EQ(&info(a.action), &a);
}

TEST(Actions, NamesAreStableWordsAndTextsAreThere) {
  std::set<std::string> names;
  std::set<std::string> texts;
  for (const ActionInfo& a : actions()) {
    const std::string name = a.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << name;
    EXPECT_TRUE(texts.insert(a.text).second) << a.text;
    EXPECT_GE(std::string(a.text).size(), 4u) << name;
    EXPECT_FALSE(a.keys.empty()) << name;
    EXPECT_LE(std::string(a.text).size(), 52u) << name << ": the overlay has columns";
  }
}

// One key, one thing.
TEST(Actions, NoKeyDoesTwoThings) {
  std::map<std::pair<int, int>, std::vector<Action>> bound;
  for (const ActionInfo& a : actions()) {
    for (const KeyChord& chord : a.keys) {
      if (chord.key != 0) bound[{chord.key, chord.modifiers}].push_back(a.action);
    }
  }
  for (const auto& [chord, what] : bound) {
    EXPECT_EQ(what.size(), 1u) << key_text({chord.first, chord.second});
  }
}

// A person learns a few keys; the rest is in the palette. These go on working without being in the list of keys: what
// many programs have, second keys, and what is said where it is needed.
TEST(Actions, FewKeysAreListedAndTheOthersAreKnown) {
  std::vector<std::string> listed, others;
  for (const ActionInfo& a : actions()) {
    for (const KeyChord& chord : a.keys) {
      if (chord.key == 0) continue;
      const bool first = is_listed(a) && chord == a.keys.front();
      (first ? listed : others).push_back(key_text(chord));
    }
  }
  EXPECT_LE(listed.size(), 40u);
  EXPECT_THAT(listed, testing::IsSupersetOf({"Tab", "[", "]", "P", "N", "B", "Alt+Z", "O", "L", "Space", "R", "F",
                                             "Ctrl+V", "F5", "Shift+F5", "?", "Ctrl+C", "Ctrl+P", "Ctrl+O"}));
  EXPECT_THAT(others, testing::UnorderedElementsAre("↑", "↓", "←", "→", "PgUp", "PgDn", "Shift+F", "Ctrl+Y", "J",
                                                    "Ctrl+Home", "Ctrl+End", "Home", "Ctrl+F", "F3", "Shift+F3", "F4",
                                                    "Shift+H", "Ctrl+S", "F12", "Ctrl+K", "F10", "F6", "Shift+F6",
                                                    "F11", "Ctrl+=", "Ctrl+KeypadPlus", "Ctrl+−", "Ctrl+KeypadMinus",
                                                    "F1", "Ctrl+Q", "2", "3", "4", "5", "Shift+,"));
}

TEST(Actions, KeysReadAsTheyAreOnAKeyboard) {
  EXPECT_EQ(key_text({GLFW_KEY_S, 0}), "S");
  EXPECT_EQ(key_text({GLFW_KEY_S, GLFW_MOD_SHIFT | GLFW_MOD_CONTROL}), "Ctrl+Shift+S");
  EXPECT_EQ(key_text({GLFW_KEY_E, GLFW_MOD_CONTROL}), "Ctrl+E");
  EXPECT_EQ(key_text({GLFW_KEY_SLASH, GLFW_MOD_SHIFT}), "?");
  EXPECT_EQ(key_text({GLFW_KEY_LEFT_BRACKET, 0}), "[");
  EXPECT_EQ(key_text({GLFW_KEY_SPACE, 0}), "Space");
  EXPECT_EQ(key_text({GLFW_KEY_ESCAPE, 0}), "Esc");
  EXPECT_EQ(key_text({GLFW_KEY_F12, 0}), "F12");
  EXPECT_EQ(key_text({GLFW_KEY_UP, 0}), "↑");
  EXPECT_EQ(key_text({GLFW_KEY_UP, GLFW_MOD_ALT}), "Alt+↑");
  EXPECT_EQ(key_text({GLFW_KEY_PAGE_DOWN, GLFW_MOD_CONTROL}), "Ctrl+PgDn");
  EXPECT_EQ(key_text({GLFW_KEY_BACKSLASH, 0}), "\\");
  EXPECT_EQ(key_text({GLFW_KEY_KP_5, 0}), "Keypad5");
  EXPECT_EQ(keys_text(info(Action::ZoomIn)), "W · ↑");
  EXPECT_EQ(keys_text(info(Action::Help)), "? · F1");
  EXPECT_EQ(keys_text(info(Action::LargerText)), "Ctrl+=");  // the keypad's plus goes without saying
  for (const ActionInfo& a : actions()) {
    for (const char c : keys_text(a)) EXPECT_NE(c, '\0') << a.name;
  }
}

TEST(Actions, GroupsAndGesturesHaveWords) {
  std::set<std::string> titles;
  for (const ActionInfo& a : actions()) titles.insert(group_title(a.group));
  EXPECT_EQ(titles.size(), kActionGroups);
  EXPECT_GE(gestures().size(), 5u);
  for (const Gesture& g : gestures()) {
    EXPECT_GT(std::string(g.gesture).size(), 2u);
    EXPECT_GT(std::string(g.text).size(), 2u);
  }
}

}  // namespace
}  // namespace lanescope::ui
