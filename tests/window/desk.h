// A window on a real display, with hands at it, for what depends on the display. All else is tested without one: see
// desk/desk.h, which has the same functions.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "screen_user.h"
#include "window/hands.h"
#include "window/window.h"

namespace lanescope::ui_test {

/// At most one window.
class Desk final : public ScreenUser {
 public:
  Desk();
  ~Desk() override;

  static ui::WindowOptions usual();
  void open(ui::WindowOptions options);
  void close() { window_.reset(); }
  bool is_open() const { return window_ != nullptr; }
  ui::Window& window() { return *window_; }
  ui::ShellState& state() override { return window_->shell().state(); }

  /// Draws frames until `done`; false when it does not come in two minutes.
  bool until(const std::function<bool()>& done) override;
  void frames(int count) override;
  Hands& hands() { return hands_; }

  void point_at(Point p) override;
  void press() override;
  void release() override;
  void wheel(int steps, unsigned modifiers = kNone) override;
  void key_down(unsigned long symbol);
  void key_up(unsigned long symbol);
  void key(unsigned long symbol, unsigned modifiers = kNone);  ///< down for two frames
  /// Down and up before the program looks, so that a slow machine neither holds nor repeats it.
  void tap(unsigned long symbol, unsigned modifiers = kNone);
  void type(std::string_view text);

 private:
  void hold(unsigned modifiers, bool down);

  Hands& hands_;
  std::unique_ptr<ui::Window> window_;
};

using WindowTest = ScreenTest<Desk>;

}  // namespace lanescope::ui_test
