// Every action of the table by its own key, part by part.
#include <gtest/gtest.h>

#include <set>

#include "desk/action_checks.h"

namespace lanescope::ui_test {

namespace {

using ui::Action;
using ui::KeyChord;

struct Part {
  const char* name;
  std::vector<ActionCheck> (*checks)();
};
constexpr Part kParts[] = {{"Run", run_checks},         {"Lesson", lesson_checks},
                           {"Scope", scope_checks},     {"Navigation", navigation_checks},
                           {"Marks", marks_checks},     {"Finding", finding_checks},
                           {"Code", code_checks},       {"Plots", plots_checks},
                           {"Compare", compare_checks}, {"Lanes", lanes_checks},
                           {"Out", out_checks},         {"Window", window_checks}};

class ActionsTest : public testing::TestWithParam<Part> {
 protected:
  static void SetUpTestSuite() { desk_ = std::make_unique<Desk>(); }
  static void TearDownTestSuite() { desk_.reset(); }

  /// A new window with the first experiment, running for some iterations.
  static void open() {
    desk_->close();  // the window before remembers what it was when it closes
    desk_->remember("tour_done = true\nwindow_width = 1280\nwindow_height = 800");
    ui::WindowOptions options;
    options.session.device = "sim:rtx4090";  // whatever GPU this machine may have
    desk_->open(options);
    ui::ShellState& state = desk_->state();
    ASSERT_TRUE(desk_->until([&] { return state.model.analysis().records().size() >= 6; }));
  }
  /// As Desk::until(), but a window that is closed is no failure: that is what quitting does.
  static bool wait(const std::function<bool()>& done) {
    constexpr int kPatience = 5000;
    for (int i = 0; i < kPatience; ++i) {
      if (done()) return true;
      if (!desk_->frame()) return done();
    }
    return false;
  }
  /// Presses the action's first key, or chooses it in the palette, until `done`.
  static bool act(const ui::ActionInfo& action, const std::function<bool()>& done) {
    if (action.keys.front().key == 0) {
      ui::perform(desk_->state(), action.action);
      return wait(done);
    }
    const KeyChord chord = action.keys.front();
    const auto modifiers = static_cast<unsigned>(chord.modifiers);
    desk_->hold(modifiers, true);
    desk_->move_key(chord.key, true);
    if (!action.held) desk_->move_key(chord.key, false);
    const bool came = wait(done);
    if (action.held) desk_->move_key(chord.key, false);
    return came;
  }

  static std::unique_ptr<Desk> desk_;
};
std::unique_ptr<Desk> ActionsTest::desk_;

TEST_P(ActionsTest, ItsKeyDoesIt) {
  const std::vector<ActionCheck> checks = GetParam().checks();
  for (const ActionCheck& check : checks) {
    const ui::ActionInfo& action = ui::info(check.action);
    SCOPED_TRACE(action.name);
    open();
    if (HasFatalFailure()) return;
    if (check.prepare) check.prepare(*desk_);
    EXPECT_FALSE(check.done(*desk_)) << "done before its key was pressed";
    EXPECT_TRUE(act(action, [&] { return check.done(*desk_); })) << ui::keys_text(action) << " does nothing";
  }
  desk_->close();
}

INSTANTIATE_TEST_SUITE_P(Part, ActionsTest, testing::ValuesIn(kParts),
                         [](const auto& about) { return about.param.name; });

TEST(ActionChecks, NameEveryActionOnce) {
  std::multiset<Action> named;
  for (const Part& part : kParts) {
    for (const ActionCheck& check : part.checks()) named.insert(check.action);
  }
  for (const ui::ActionInfo& action : ui::actions()) EXPECT_EQ(named.count(action.action), 1u) << action.name;
}

}  // namespace
}  // namespace lanescope::ui_test
