// Every action of the table by its own key in a real window, part by part.
#include <epoxy/gl.h>
// epoxy first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <X11/keysym.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "window/action_checks.h"

namespace lanescope::ui_test {

namespace {

using ui::Action;
using ui::KeyChord;

// The sanitizers make every window many times slower: there, one of eight actions has to do.
#ifdef LANESCOPE_SANITIZED
constexpr std::size_t kStep = 8;
#else
constexpr std::size_t kStep = 1;
#endif

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

/// The X key symbol that an unshifted press of this GLFW key gives; 0 for keys that no action has.
unsigned long symbol_of(int key) {
  static const std::map<int, unsigned long> kNamed{{GLFW_KEY_ENTER, XK_Return},
                                                   {GLFW_KEY_TAB, XK_Tab},
                                                   {GLFW_KEY_ESCAPE, XK_Escape},
                                                   {GLFW_KEY_HOME, XK_Home},
                                                   {GLFW_KEY_END, XK_End},
                                                   {GLFW_KEY_PAGE_UP, XK_Page_Up},
                                                   {GLFW_KEY_PAGE_DOWN, XK_Page_Down},
                                                   {GLFW_KEY_BACKSPACE, XK_BackSpace},
                                                   {GLFW_KEY_DELETE, XK_Delete},
                                                   {GLFW_KEY_UP, XK_Up},
                                                   {GLFW_KEY_DOWN, XK_Down},
                                                   {GLFW_KEY_LEFT, XK_Left},
                                                   {GLFW_KEY_RIGHT, XK_Right}};
  if (const auto found = kNamed.find(key); found != kNamed.end()) return found->second;
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return XK_F1 + static_cast<unsigned long>(key - GLFW_KEY_F1);
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return XK_a + static_cast<unsigned long>(key - GLFW_KEY_A);
  return key > 0 && key < 128 ? static_cast<unsigned long>(key) : 0;  // digits and signs have their character's number
}

std::vector<unsigned long> modifier_symbols(int modifiers) {
  std::vector<unsigned long> found;
  if (modifiers & GLFW_MOD_CONTROL) found.push_back(XK_Control_L);
  if (modifiers & GLFW_MOD_SHIFT) found.push_back(XK_Shift_L);
  if (modifiers & GLFW_MOD_ALT) found.push_back(XK_Alt_L);
  return found;
}

class ActionsTest : public testing::TestWithParam<Part> {
 protected:
  static void SetUpTestSuite() { desk_ = std::make_unique<Desk>(); }
  static void TearDownTestSuite() { desk_.reset(); }

  /// A new window with the first experiment, running for some iterations.
  static void open() {
    desk_->close();  // the window before remembers what it was when it closes
    desk_->remember("tour_done = true\nwindow_width = 1280\nwindow_height = 800");
    ui::WindowOptions options;
    options.frames_unlimited = true;
    options.session.device = "sim:rtx4090";  // whatever GPU this machine may have
    desk_->open(options);
    ui::ShellState& state = desk_->state();
    ASSERT_TRUE(desk_->until([&] { return state.model.analysis().records().size() >= 6; }));
  }
  /// As Desk::until(), but a window that is closed is no failure: that is what quitting does.
  static bool wait(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      glfwPostEmptyEvent();
      if (!desk_->window().frame()) return done();
    }
    return true;
  }
  /// Presses the action's first key until `done`.
  static bool act(const ui::ActionInfo& action, const std::function<bool()>& done) {
    if (action.keys.empty()) {
      ui::perform(desk_->state(), action.action);
      return wait(done);
    }
    const KeyChord chord = action.keys.front();
    const unsigned long symbol = symbol_of(chord.key);
    EXPECT_NE(symbol, 0u) << "no key symbol for " << ui::key_text(chord);
    if (symbol == 0) return false;
    Hands& hands = desk_->hands();
    for (const unsigned long modifier : modifier_symbols(chord.modifiers)) hands.key(modifier, true);
    hands.key(symbol, true);
    if (!action.held) hands.key(symbol, false);  // at once: a tap, on a slow machine too
    const bool came = wait(done);
    if (action.held) hands.key(symbol, false);
    for (const unsigned long modifier : modifier_symbols(chord.modifiers)) hands.key(modifier, false);
    return came;
  }

  static std::unique_ptr<Desk> desk_;
};
std::unique_ptr<Desk> ActionsTest::desk_;

TEST_P(ActionsTest, ItsKeyDoesIt) {
  const std::vector<ActionCheck> checks = GetParam().checks();
  for (std::size_t i = 0; i < checks.size(); i += kStep) {
    const ActionCheck& check = checks[i];
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
