// A window that has nothing new to show uses no processor: it waits, and unseen it does not draw.
#include <X11/keysym.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <memory>

#include "window/desk.h"

struct GLFWwindow;
extern "C" unsigned long glfwGetX11Window(GLFWwindow* window);  // GLFW's header for it needs Xrandr's

namespace lanescope::ui_test {
namespace {

class RestTest : public testing::Test {
 protected:
  void SetUp() override { desk.remember("tour_done = true\nwindow_width = 1000\nwindow_height = 700"); }
  static ui::WindowOptions options() {
    ui::WindowOptions o;
    o.session.device = "sim:teaching";
    return o;
  }
  ui::ShellState& state() { return desk.state(); }
  /// Calls frame() without waking it: returns how many frames were drawn, and how long each call slept at least.
  std::uint64_t drawn(int calls) {
    const std::uint64_t before = desk.window().frames();
    for (int i = 0; i < calls; ++i) {
      EXPECT_TRUE(desk.window().frame());
    }
    return desk.window().frames() - before;
  }
  /// Whether it stops drawing within two minutes: what is computed in the background takes long under a sanitizer.
  bool comes_to_rest() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < deadline) {
      if (drawn(1) == 0) return true;
    }
    return false;
  }

  Desk desk;
};

TEST_F(RestTest, APausedWindowDrawsNothingUntilSomethingHappens) {
  desk.open(options());
  ASSERT_TRUE(desk.until([&] { return state().model.analysis().records().size() > 5; }));
  desk.point_at({500, 300});
  desk.key(XK_space);
  ASSERT_TRUE(state().model.paused());
  ASSERT_TRUE(comes_to_rest());
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  EXPECT_EQ(drawn(4), 0u);
  const double slept = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double worked = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  EXPECT_GT(slept, 1.5) << "each look at a still window sleeps";
  EXPECT_LT(worked, 0.1 * slept);
  // A key wakes it.
  desk.key(XK_o);
  EXPECT_TRUE(state().scope.panel_open);
  desk.key(XK_space);
  const Nanoseconds edge = state().model.live_edge();
  EXPECT_TRUE(desk.until([&] { return state().model.live_edge() > edge; }));
}

TEST_F(RestTest, AnOpenedFileRestsToo) {
  ui::WindowOptions o = options();
  o.open = {std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/data/pytorch-event-sync.json.gz"};
  desk.open(o);
  ASSERT_TRUE(desk.until([&] { return !state().opening.running(); }));
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(drawn(2), 0u);
}

// There is no input, and nothing else moves in the window.
TEST_F(RestTest, AFileThatWasOpenedIsDrawnUnasked) {
  ui::WindowOptions o = options();
  o.open = {desk.home() / "slow.json"};
  ASSERT_EQ(mkfifo(o.open[0].c_str(), 0600), 0);
  desk.open(o);
  std::ofstream into(o.open[0]);
  const std::uint64_t generation = state().model.generation();
  EXPECT_EQ(drawn(5), 5u) << "the bar moves";
  into << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":7}]})" << std::flush;
  into.close();
  for (int i = 0; i < 1000 && state().model.generation() == generation; ++i) drawn(1);
  ASSERT_NE(state().model.generation(), generation);
  EXPECT_EQ(drawn(2), 2u);
}

// A live run is drawn at the display's pace and no faster.
TEST_F(RestTest, ALiveRunIsDrawnAtAMeasuredPace) {
  desk.open(options());
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t frames = drawn(60);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(frames, 60u);
  EXPECT_GT(seconds, 60 * 0.014);
}

class UnseenTest : public WindowTest {};

TEST_F(UnseenTest, CoveredItDrawsNothingAndTheRunGoesOn) {
  auto cover = std::make_unique<Cover>();
  ASSERT_TRUE(desk().until([&] { return desk().window().hidden(); }));
  const std::uint64_t drawn = desk().window().frames();
  const std::size_t iterations = model().analysis().records().size();
  EXPECT_TRUE(desk().until([&] { return model().analysis().records().size() > iterations + 20; }));
  EXPECT_EQ(desk().window().frames(), drawn);
  cover.reset();
  EXPECT_TRUE(desk().until([&] { return desk().window().frames() > drawn + 2; }));
}

// What a window manager does to a window that is minimised.
TEST_F(UnseenTest, MinimisedItDrawsNothing) {
  const auto window = glfwGetX11Window(desk().window().handle());
  desk().hands().minimise(window, true);
  EXPECT_TRUE(desk().until([&] { return desk().window().hidden(); }));
  const std::uint64_t drawn = desk().window().frames();
  desk().frames(5);
  EXPECT_EQ(desk().window().frames(), drawn);
  desk().hands().minimise(window, false);
  EXPECT_TRUE(desk().until([&] { return desk().window().frames() > drawn; }));
}

}  // namespace
}  // namespace lanescope::ui_test
