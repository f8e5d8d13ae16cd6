// What is typed goes where it belongs: into the field that opens, to the overlay that is open, and to nothing behind
// it.
#include <functional>
#include <string>
#include <vector>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using ui::Action;

struct OpenedField {
  const char* name;
  Action opens;
  std::string (*text)(const ui::ShellState&);
};

const std::vector<OpenedField> kOpenedFields{
    {"Files", Action::OpenTrace, [](const ui::ShellState& s) { return s.files.field.typed; }},
    {"Palette", Action::Palette, [](const ui::ShellState& s) { return s.overlays.palette.typed; }},
    {"Gallery", Action::Gallery, [](const ui::ShellState& s) { return s.overlays.gallery.filter; }},
    {"Attach", Action::AttachProgram, [](const ui::ShellState& s) { return s.overlays.attach.typed.command; }},
    {"GoTo", Action::GoTo, [](const ui::ShellState& s) { return s.navigation.go_to.text; }},
    {"Search", Action::Search, [](const ui::ShellState& s) { return s.search.text; }},
    {"Note", Action::AddNote, [](const ui::ShellState& s) { return s.marks.edit_text; }},
};

class TypingTest : public DeskTest {
 protected:
  /// Keys whose letters are also those of knobs.
  static constexpr std::string_view kLetters = "pnb";

  void TearDown() override {
    ui::close_overlay(state());
    ui::close_search(state());
    state().marks = {};
    state().field_awaited = 0;
    desk().frames(3);
  }
  void strike(int key, int modifiers, int frames_after) {
    const std::pair<unsigned, int> held[] = {
        {kControl, key::LeftControl}, {kShift, key::LeftShift}, {kAlt, key::LeftAlt}};
    for (const auto& [modifier, of_keyboard] : held) {
      if ((static_cast<unsigned>(modifiers) & modifier) != 0) desk().move_key(of_keyboard, true);
    }
    desk().move_key(key, true);
    desk().move_key(key, false);
    for (const auto& [modifier, of_keyboard] : held) {
      if ((static_cast<unsigned>(modifiers) & modifier) != 0) desk().move_key(of_keyboard, false);
    }
    if (frames_after > 0) desk().frames(frames_after);
  }
};

TEST_F(TypingTest, NothingIsLostWhileAFieldOpensAndNothingReachesTheKnobs) {
  hold_still();
  for (const OpenedField& field : kOpenedFields) {
    for (const int frames : {0, 1, 2, 9}) {  // between two keys: from a paste to a slow hand
      SCOPED_TRACE(std::string(field.name) + ", " + std::to_string(frames) + " frames");
      const workload::Settings before = settings();
      const ui::KeyChord opens = info(field.opens).keys.front();
      opens.key != 0 ? strike(opens.key, opens.modifiers, frames) : perform(state(), field.opens);
      for (const char letter : kLetters) strike(std::toupper(letter), 0, frames);
      desk().frames(9);
      // The key that opens it types nothing.
      const std::string typed = field.text(state());
      EXPECT_EQ(field.opens == Action::OpenTrace ? typed.substr(typed.rfind('/') + 1) : typed, kLetters);
      EXPECT_EQ(settings(), before);
      TearDown();
    }
  }
}

TEST_F(TypingTest, EnterComesAfterWhatWasTypedBeforeIt) {
  hold_still();
  const ui::KeyChord opens = info(Action::Palette).keys.front();
  strike(opens.key, opens.modifiers, 0);
  for (const char letter : std::string_view("legend")) strike(std::toupper(letter), 0, 0);
  strike(key::Enter, 0, 9);
  EXPECT_TRUE(state().colours.legend_open);
  EXPECT_FALSE(state().overlays.open);
  state().colours.legend_open = false;
}

// All of it before the next frame: Escape, E for the gallery, and what is typed into its filter.
TEST_F(TypingTest, AKeyAfterEscapeIsAKeyAgain) {
  hold_still();
  const workload::Settings before = settings();
  const ui::KeyChord opens = info(Action::OpenTrace).keys.front();
  strike(opens.key, opens.modifiers, 5);
  strike(key::Escape, 0, 0);
  strike(key::E, 0, 0);
  for (const char letter : kLetters) strike(std::toupper(letter), 0, 0);
  desk().frames(9);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Gallery);
  EXPECT_EQ(state().overlays.gallery.filter, kLetters);
  EXPECT_EQ(settings(), before);
}

TEST_F(TypingTest, APathFromTheRootTakesThePlaceOfTheFolderThatStandsThere) {
  const ui::KeyChord opens = info(Action::OpenTrace).keys.front();
  strike(opens.key, opens.modifiers, 5);
  ASSERT_TRUE(state().files.field.typed.ends_with('/'));
  desk().type("/tmp/x");
  desk().frames(3);
  EXPECT_EQ(state().files.field.typed, "/tmp/x");
}

TEST_F(TypingTest, KeysOfTheListOfLessonsDoNotReachTheLanes) {
  hold_still();
  desk().key(key::E);
  desk().click("gallery.tab.Lessons");
  state().toast.reset();
  desk().key(key::Down);
  EXPECT_EQ(state().overlays.gallery.lesson, 1u);
  EXPECT_FALSE(state().toast) << state().toast->text;
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return state().lesson.on(); }));
  EXPECT_FALSE(state().toast && state().toast->text == "no event is selected");
  perform(state(), Action::EndLesson);
  desk().frames(3);
}

}  // namespace
}  // namespace lanescope::ui_test
