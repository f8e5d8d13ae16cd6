#include "shell/palette_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;

TEST(Found, EveryWordMustBeFoundAndTheBeginningOfAWordIsBest) {
  EXPECT_EQ(found_score("zoom lanes", "zoom in"), 0);
  EXPECT_GT(found_score("", "anything"), 0);
  EXPECT_GT(found_score("ZOOM", "zoom in"), found_score("oom", "zoom in"));
  EXPECT_GT(found_score("zoom", "zoom in"), found_score("zoo", "zoom in")) << "a whole word";
  EXPECT_GT(found_score("oom", "zoom in"), found_score("zm", "zoom in"));
  EXPECT_GT(found_score("zm", "zoom in"), 0) << "letters in order";
  EXPECT_EQ(found_score("mz", "zoom in"), 0);
  EXPECT_EQ(found_score("zi", "zoom far away in"), 0) << "not so far apart";
}

// The start of the text, then a start of a word, then inside one; of equal ones the shorter, then as they are listed.
TEST(Found, TheBestComeFirst) {
  const auto entry = [](const char* text, const char* also) { return PaletteEntry{"", text, also, "", "", false, {}}; };
  const std::vector<PaletteEntry> entries{entry("pan the view", "x"), entry("spanning", ""), entry("other", "pan"),
                                          entry("pan again", ""),     entry("nothing", ""),  entry("pan after", "")};
  EXPECT_THAT(found_entries("pan", entries), ElementsAre(3, 5, 0, 2, 1));
  EXPECT_THAT(found_entries("", entries), ElementsAre(0, 1, 2, 3, 4, 5)) << "as they are listed: the newest used first";
  EXPECT_TRUE(found_entries("qqq", entries).empty());
}

TEST(Palette, HasEveryActionAndTheNewestUsedFirst) {
  ShellState state;
  state.model.show_nothing();
  state.preferences.recent = {"action.fit", "theme.light"};
  std::vector<PaletteEntry> entries = palette_entries(state);
  EXPECT_EQ(entries[0].id, "action.fit");
  EXPECT_EQ(entries[1].id, "theme.light");
  std::size_t of_actions = 0;
  for (const PaletteEntry& e : entries) of_actions += e.id.starts_with("action.") ? 1 : 0;
  EXPECT_EQ(of_actions, kActionCount - 1) << "all but the palette itself";
  act(state, entries[1]);
  EXPECT_EQ(state.preferences.theme, ThemeName::Light);
  EXPECT_THAT(state.preferences.recent, ElementsAre("theme.light", "action.fit"));
  for (int i = 0; i < 40; ++i) act(state, entries[static_cast<std::size_t>(i)]);
  EXPECT_EQ(state.preferences.recent.size(), 12u);
}

TEST(Palette, SaysWhyAnActionWouldDoNothing) {
  ShellState state;
  state.model.show_nothing();
  EXPECT_EQ(why_without_effect(state, Action::PauseRun), "a file is shown, not a run");
  EXPECT_EQ(why_without_effect(state, Action::FollowLink), "no event is selected");
  EXPECT_EQ(why_without_effect(state, Action::NextFound), "no search yet");
  EXPECT_EQ(why_without_effect(state, Action::Gallery), "");
  EXPECT_EQ(why_without_effect(state, Action::ToggleTheme), "");
}

TEST(SettingActions, EachActionTurnsOneSettingAndBack) {
  std::size_t turning = 0;
  for (const ActionInfo& about : actions()) {
    const SettingTurn turn = about.turns;
    if (turn.setting == workload::SettingAction::None) continue;
    ++turning;
    EXPECT_EQ(action_for(turn.setting, turn.step), about.action);
  }
  EXPECT_EQ(turning, 5u);
  EXPECT_EQ(action_for(workload::SettingAction::None, 0), std::nullopt);
  EXPECT_EQ(action_for(workload::SettingAction::ReadInterval, 0), std::nullopt);
}

}  // namespace
}  // namespace lanescope::ui
