// The program at a desk without a display: frame by frame, with ImGui's input in place of hands, on a clock that goes
// on by a sixtieth of a second per frame. A run advances with that clock, on this thread, so that a test sees the same
// on every machine. What needs a real window is tested in tests/window.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desk/drawn_text.h"
#include "shell/keys.h"
#include "window/screen.h"

namespace lanescope::ui_test {

using base::Nanoseconds;
using ui::Rect;

/// The keys of shell/keys.h, and those that change others.
namespace key {
using namespace ui::key;
enum : int { LeftShift = 340, LeftControl = 341, LeftAlt = 342 };
}  // namespace key

struct Point {
  float x = 0, y = 0;
};

inline constexpr unsigned kNone = 0, kShift = 1, kControl = 2, kAlt = 4;  // modifier keys, to be added

/// The buttons of a mouse.
enum class Button : std::uint8_t { Left, Right, Middle };

/// A home of its own for the program (configuration, pictures), and at most one window.
class Desk {
 public:
  Desk();
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  const std::filesystem::path& home() const { return home_; }
  std::filesystem::path pictures() const { return home_ / "pictures"; }
  std::filesystem::path settings_file() const { return home_ / "config" / "lanescope" / "settings.toml"; }
  /// The files in the picture folder, sorted by name.
  std::vector<std::filesystem::path> saved() const;
  void remember(const std::string& settings) const;  ///< writes the settings file

  void open(ui::WindowOptions options);
  void close();
  bool is_open() const { return screen_ != nullptr; }
  ui::Screen& screen() { return *screen_; }
  ui::Shell& shell() { return screen_->shell(); }
  ui::ShellState& state() { return screen_->state(); }
  void resize(int width, int height);  ///< from the next frame on
  /// For what runs outside, in its own time: the clock is the machine's until the desk is closed.
  void go_by_the_clock();

  /// False: the window closes.
  bool frame();
  /// Draws frames until `done`; false when it does not come in 20,000, or in two minutes by the machine's clock.
  bool until(const std::function<bool()>& done);
  void frames(int count);

  /// Where something is drawn, by its name in ShellState::places. Scrolls the left panel to it where it must.
  Rect place(const std::string& name);
  bool has_place(const std::string& name);

  void point_at(Point p);
  void button(Button which, bool down);
  void press() { button(Button::Left, true); }
  void release();
  void click(Point p);
  void click(const std::string& name);
  void double_click(Point p);
  void drag(Point from, Point to);
  void wheel(int steps, unsigned modifiers = kNone);  ///< > 0: away from the person
  void wheel_sideways(int steps);                     ///< > 0: to the left
  void move_key(int key, bool down);                  ///< no frame follows
  void hold(unsigned modifiers, bool down);
  void key_down(int key);
  void key_up(int key);
  void key(int key, unsigned modifiers = kNone);  ///< down for two frames
  void tap(int key, unsigned modifiers = kNone);  ///< down and up before the program looks
  void type(std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  void end();
  void give_input();

  std::filesystem::path home_;
  std::unique_ptr<ui::Screen> screen_;
  Clock::time_point time_;
  bool by_the_clock_ = false;
  int width_ = 0, height_ = 0;
  Point pointer_{-1, -1};
  std::array<bool, 3> buttons_{};
  Point wheel_;
  unsigned modifiers_ = kNone;
};

inline Point middle(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

/// Tests that share one window, which begins each test with a new run and nothing selected.
class DeskTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  static ui::WindowOptions usual();
  /// Starts another run in the window, and waits for its first iterations.
  void run(const std::vector<std::string>& assignments, double speed = ui::kWindowSpeed);
  void wait_for_iterations(std::size_t count);
  /// No more events: what is on the screen stays.
  void hold_still();

  Desk& desk() { return *desk_; }
  ui::ShellState& state() { return desk_->state(); }
  ui::Model& model() { return state().model; }
  const ui::TimeAxis& axis() { return state().view.axis(); }
  workload::Settings settings() { return model().steering()->settings(); }
  /// All texts of the trace's markers, oldest first.
  std::vector<std::string> markers();
  Nanoseconds last_marker() { return model().analysis().markers().back().start_ns; }
  /// The point of an event on the screen.
  Point point_of(trace::LaneKind lane, const trace::Event& event);
  /// The events of a lane that are in view as a whole, from all its sub-rows, in time order.
  std::vector<trace::Event> events_in_view(trace::LaneKind lane);
  /// Those of a lane that start at or after `from`.
  std::vector<trace::Event> events_since(trace::LaneKind lane, Nanoseconds from);

  static std::unique_ptr<Desk> desk_;
};

}  // namespace lanescope::ui_test
