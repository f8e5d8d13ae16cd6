// The table of actions: whole, and of one mind with what its rows do.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "shell/actions.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

TEST(ActionTable, EveryActionHasOneRowWithAHandler) {
  std::map<Action, int> rows;
  for (const ActionInfo& row : standard_actions()) {
    ++rows[row.action];
    EXPECT_NE(row.perform, nullptr) << row.name;
  }
  EXPECT_EQ(rows.size(), kActionCount);
  for (const auto& [action, count] : rows) EXPECT_EQ(count, 1) << info(action).name;
}

// Nearly all that an action can change without a run that goes on meanwhile.
auto sight(const ShellState& s) {
  const Requests& r = s.requests;
  const CompareState& compare = s.comparison.state;
  return std::tuple(
      std::tuple(r.actions.size(), r.run.has_value(), r.experiment, r.side, r.files, r.screenshot, r.quit),
      std::tuple(s.overlays.open, s.drawer, s.presentation.on, s.full_screen, s.device_menu.toggle, s.sweep.open),
      std::tuple(s.preferences.theme, s.preferences.language, s.preferences.font_scale, s.preferences.animation,
                 s.preferences.code_view),
      std::tuple(s.selection.empty(), s.selection.event, s.view.axis(), s.view.mode(), s.scope.average.on,
                 s.scope.panel_open, s.navigation.scroll[0].target, s.lanes.version(), s.marks.version()),
      std::tuple(compare.open, compare.align, compare.waits_for_a(), compare.busy(), s.plots.ghost.number,
                 s.plots.view.logarithmic, s.plots.on_timeline_axis, s.search.open, s.search.walk_wanted),
      std::tuple(s.model.generation(), s.model.paused(), s.model.speed(), s.model.facts().settings,
                 s.pictures.writing.size(), s.pictures.saving.busy()));
}

// How many of the actions are disabled.
std::size_t check_disabled(ShellState& state) {
  std::size_t disabled = 0;
  for (const ActionInfo& row : actions()) {
    const std::string why = row.why_disabled ? row.why_disabled(state) : "";
    if (why.empty()) continue;
    ++disabled;
    EXPECT_EQ(why_without_effect(state, row.action), why) << row.name;
    state.toast.reset();
    const auto before = sight(state);
    perform(state, row.action);
    EXPECT_TRUE(sight(state) == before) << row.name << " is disabled and changes something";
    EXPECT_EQ(state.toast ? state.toast->text : "", why) << row.name;
  }
  return disabled;
}

TEST(ActionTable, ADisabledActionOnlySaysWhy) {
  ShellState nothing;
  nothing.model.show_nothing();
  EXPECT_GE(check_disabled(nothing), 15u);

  ShellState live;
  session::SessionOptions options;
  options.device = "sim:rtx4090";
  live.model.start_run(options);
  live.model.set_paused(true);
  EXPECT_EQ(why_without_effect(live, Action::PauseRun), "");
  EXPECT_EQ(why_without_effect(live, Action::FlipSide), "no experiment is running, and no knob was turned");
  EXPECT_GE(check_disabled(live), 5u);
}

TEST(ActionTable, ARemarkKeepsNothingFromBeingDone) {
  ShellState state;
  state.model.show_nothing();
  EXPECT_EQ(why_without_effect(state, Action::NextFound), "no search yet");
  perform(state, Action::NextFound);
  EXPECT_TRUE(state.search.open) << "it opens the search instead";
}

}  // namespace
}  // namespace lanescope::ui
