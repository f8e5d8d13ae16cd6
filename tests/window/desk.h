// A window on a real display, with hands at it, for what depends on the display. All else is tested without one: see
// desk/desk.h, which has the same functions.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "window/hands.h"
#include "window/window.h"

namespace lanescope::ui_test {

using base::Nanoseconds;
using ui::Rect;

struct Point {
  float x = 0, y = 0;
};

inline constexpr unsigned kNone = 0, kShift = 1, kControl = 2, kAlt = 4;  // modifier keys, to be added

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
  void close() { window_.reset(); }
  bool is_open() const { return window_ != nullptr; }
  ui::Window& window() { return *window_; }
  ui::ShellState& state() { return window_->shell().state(); }

  /// Draws frames until `done`; false when it does not come in two minutes.
  bool until(const std::function<bool()>& done);
  void frames(int count);
  Hands& hands() { return hands_; }

  /// Where something is drawn, by its name in ShellState::places. Scrolls the left panel to it where it must.
  Rect place(const std::string& name);
  bool has_place(const std::string& name);

  void point_at(Point p);
  void press();
  void release();
  void click(Point p);
  void click(const std::string& name);
  void drag(Point from, Point to);
  void wheel(int steps, unsigned modifiers = kNone);  ///< > 0: away from the person
  void key_down(unsigned long symbol);
  void key_up(unsigned long symbol);
  void key(unsigned long symbol, unsigned modifiers = kNone);  ///< down for two frames
  /// Down and up before the program looks, so that a slow machine neither holds nor repeats it.
  void tap(unsigned long symbol, unsigned modifiers = kNone);
  void type(std::string_view text);

 private:
  void hold(unsigned modifiers, bool down);

  std::filesystem::path home_;
  Hands& hands_;
  std::unique_ptr<ui::Window> window_;
};

inline Point middle(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

/// Tests that share one window, which begins each test with a new run and nothing selected.
class WindowTest : public testing::Test {
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
  /// The point of an event on the screen.
  Point point_of(trace::LaneKind lane, const trace::Event& event);
  /// The events of a lane that are in view as a whole, from all its sub-rows, in time order.
  std::vector<trace::Event> events_in_view(trace::LaneKind lane);
  /// Those of a lane that start at or after `from`.
  std::vector<trace::Event> events_since(trace::LaneKind lane, Nanoseconds from);

  static std::unique_ptr<Desk> desk_;
};

}  // namespace lanescope::ui_test
