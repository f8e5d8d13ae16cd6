// The program at a desk without a display: frame by frame, with ImGui's input in place of hands, on a clock that goes
// on by a sixtieth of a second per frame. A run advances with that clock, on this thread, so that a test sees the same
// on every machine. What needs a real window is tested in tests/window.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "desk/drawn_text.h"
#include "screen_user.h"
#include "shell/keys.h"

namespace lanescope::ui_test {

/// The keys of shell/keys.h, and those that change others.
namespace key {
using namespace ui::key;
enum : int { LeftShift = 340, LeftControl = 341, LeftAlt = 342 };
}  // namespace key

/// The buttons of a mouse.
enum class Button : std::uint8_t { Left, Right, Middle };

/// At most one window.
class Desk final : public ScreenUser {
 public:
  Desk();
  ~Desk() override;

  static ui::WindowOptions usual();
  void open(ui::WindowOptions options);
  void close();
  bool is_open() const { return screen_ != nullptr; }
  ui::Screen& screen() { return *screen_; }
  ui::Shell& shell() { return screen_->shell(); }
  ui::ShellState& state() override { return screen_->state(); }
  void resize(int width, int height);  ///< from the next frame on
  /// For what runs outside, in its own time: the clock is the machine's until the desk is closed.
  void go_by_the_clock();

  /// Time in which nothing is drawn, as while nothing moves.
  void rest(std::chrono::milliseconds time) { time_ += time; }
  /// False: the window closes.
  bool frame();
  /// Draws frames until `done`; false when it does not come in 20,000, or in two minutes by the machine's clock.
  bool until(const std::function<bool()>& done) override;
  void frames(int count) override;

  void point_at(Point p) override;
  void button(Button which, bool down);
  void press() override { button(Button::Left, true); }
  void release() override;
  void double_click(Point p);
  void wheel(int steps, unsigned modifiers = kNone) override;
  void wheel_sideways(int steps);     ///< > 0: to the left
  void move_key(int key, bool down);  ///< no frame follows
  void hold(unsigned modifiers, bool down);
  void key_down(int key);
  void key_up(int key);
  void key(int key, unsigned modifiers = kNone);  ///< down for two frames
  void tap(int key, unsigned modifiers = kNone);  ///< down and up before the program looks
  void type(std::string_view text);
  void act(ui::Action action);  ///< as the palette does

 private:
  using Clock = std::chrono::steady_clock;
  void end();
  void give_input();

  std::unique_ptr<ui::Screen> screen_;
  Clock::time_point time_;
  bool by_the_clock_ = false;
  int width_ = 0, height_ = 0;
  Point pointer_{-1, -1};
  std::array<bool, 3> buttons_{};
  Point wheel_;
  unsigned modifiers_ = kNone;
};

class DeskTest : public ScreenTest<Desk> {
 protected:
  workload::Settings settings() { return model().steering()->settings(); }
  /// All texts of the trace's markers, oldest first.
  std::vector<std::string> markers();
  Nanoseconds last_marker() { return model().analysis().markers().back().start_ns; }
};

}  // namespace lanescope::ui_test
