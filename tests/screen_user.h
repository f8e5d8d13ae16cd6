// A person at the program: what the tests on the desk (tests/desk) and those in a real window (tests/window) do alike.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "window/screen.h"

namespace lanescope::ui_test {

using base::Nanoseconds;
using ui::Rect;

struct Point {
  float x = 0, y = 0;
};
inline Point middle(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

inline constexpr unsigned kNone = 0, kShift = 1, kControl = 2, kAlt = 4;  // modifier keys, to be added

/// Has a home of its own for the program (configuration, pictures), and a hand on the mouse.
class ScreenUser {
 public:
  ScreenUser() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-ui-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    home_ = pattern;
    std::filesystem::create_directories(pictures());
    setenv("HOME", home_.c_str(), 1);
    setenv("XDG_CONFIG_HOME", (home_ / "config").c_str(), 1);
    for (const char* name : {"XDG_STATE_HOME", "XDG_PICTURES_DIR"}) unsetenv(name);
  }
  ScreenUser(const ScreenUser&) = delete;
  ScreenUser& operator=(const ScreenUser&) = delete;

  const std::filesystem::path& home() const { return home_; }
  std::filesystem::path pictures() const { return home_ / "pictures"; }
  std::filesystem::path settings_file() const { return home_ / "config" / "lanescope" / "settings.toml"; }
  /// The files in the picture folder, sorted by name.
  std::vector<std::filesystem::path> saved() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(pictures())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }
  void remember(const std::string& settings) const {  ///< writes the settings file
    std::filesystem::create_directories(settings_file().parent_path());
    std::ofstream(settings_file()) << settings << "\npicture_folder = \"" << pictures().string() << "\"\n";
  }

  virtual ui::ShellState& state() = 0;
  virtual void frames(int count) = 0;
  /// Draws frames until `done`; false when it does not come.
  virtual bool until(const std::function<bool()>& done) = 0;
  virtual void point_at(Point p) = 0;
  virtual void press() = 0;
  virtual void release() = 0;
  virtual void wheel(int steps, unsigned modifiers = kNone) = 0;  ///< > 0: away from the person

  bool has_place(const std::string& name) { return state().places.contains(name); }
  /// Where something is drawn, by its name in ShellState::places. Opens the drawer at the left, and scrolls it, where
  /// it must.
  Rect place(const std::string& name) {
    if (!has_place(name) && !state().lesson.on() && !state().model.nothing() && !state().overlays.open) {
      frames(3);
      if (!has_place(name)) state().about_open = true;
    }
    if (!until([&] { return has_place(name); })) {
      ADD_FAILURE() << "nothing is drawn as '" << name << "'";
      return {};
    }
    const auto in_panel = [&] {
      const Rect& r = state().places[name];
      const bool left_panel = (state().about_open || state().lesson.on()) && r.x + r.width < 345 && r.y > 80;
      return !left_panel || (r.y > 80 && r.y + r.height < ImGui::GetIO().DisplaySize.y - 40);
    };
    for (int i = 0; i < 40 && !in_panel(); ++i) {
      point_at({20, 300});
      const float before = state().places[name].y;
      wheel(before > 300 ? -1 : 1);
      frames(2);
    }
    return state().places[name];
  }

  void click(Point p) {
    point_at(p);
    press();
    release();
  }
  void click(const std::string& name) {
    frames(2);  // what has just come may still be finding its place
    Point at = middle(place(name));
    point_at(at);
    for (int i = 0; i < 10 && has_place(name); ++i) {
      const Point now = middle(state().places[name]);
      if (now.x == at.x && now.y == at.y) break;
      point_at(at = now);
    }
    press();
    release();
  }
  void drag(Point from, Point to) {
    constexpr int kSteps = 8;
    point_at(from);
    press();
    for (int i = 1; i <= kSteps; ++i) {
      const float part = static_cast<float>(i) / kSteps;
      point_at({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
    }
    release();
  }

 protected:
  virtual ~ScreenUser() {
    std::error_code ignored;
    std::filesystem::remove_all(home_, ignored);
  }

 private:
  std::filesystem::path home_;
};

/// Tests that share one window, which begins each test with a new run and nothing selected.
template <class Desk>
class ScreenTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    desk_ = std::make_unique<Desk>();
    desk_->remember("tour_done = true\nwindow_width = 1440\nwindow_height = 960");
    desk_->open(usual());
  }
  static void TearDownTestSuite() { desk_.reset(); }
  void SetUp() override {
    ui::ShellState& s = state();
    s.selection.clear();
    s.toast.reset();
    s.knob_editing.setting.clear();
    s.overlays.open.reset();
    s.experiment.active.reset();
    s.preferences.language = experiment::Language::English;
    s.device_menu.recorded = ui::recorded_captures();
    s.tour = ui::TourStep::Off;
    s.about_open = false;
    s.plots.on_timeline_axis.reset();
    s.preferences.theme = ui::ThemeName::Dark;
    s.preferences.font_scale = 1;
    s.view.set_mode(ui::ViewMode::Trigger);
    run({});
  }

  static ui::WindowOptions usual() { return Desk::usual(); }
  /// Starts another run in the window, and waits for its first iterations.
  void run(const std::vector<std::string>& assignments, double speed = ui::kWindowSpeed) {
    const std::uint64_t before = model().generation();
    session::SessionOptions options = usual().session;
    options.assignments = assignments;
    options.speed = speed;
    state().requests.run = options;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    wait_for_iterations(6);
  }
  void wait_for_iterations(std::size_t count) {
    ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() >= count; }))
        << model().analysis().records().size() << " iterations";
  }
  /// No more events: what is on the screen stays.
  void hold_still() {
    model().set_paused(true);
    state().view.pan(0);
    const auto settled = [this, edge = Nanoseconds{-1}]() mutable {
      return std::exchange(edge, model().live_edge()) == model().live_edge() && !state().view.moving();
    };
    ASSERT_TRUE(desk().until(settled));
  }

  Desk& desk() { return *desk_; }
  ui::ShellState& state() { return desk_->state(); }
  ui::Model& model() { return state().model; }
  const ui::TimeAxis& axis() { return state().view.axis(); }
  /// The point of an event on the screen.
  Point point_of(trace::LaneKind kind, const trace::Event& event) {
    const auto rect = state().timeline.lane_rect(model().trace(), kind);
    EXPECT_TRUE(rect.has_value());
    const float x = (axis().to_px(event.start_ns) + axis().to_px(event.end_ns)) / 2;
    return {x, rect ? rect->y + std::min(rect->height, 20.0f) / 2 : 0};
  }
  /// The events of a lane that start at or after `from`, from all its sub-rows, in time order.
  std::vector<trace::Event> events_since(trace::LaneKind kind, Nanoseconds from) {
    std::vector<trace::Event> found;
    const trace::Trace& trace = model().trace();
    const trace::Trace::ReadLock lock(trace);
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
      if (lane.info().kind != kind) continue;
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const trace::EventIndex last = row.last();
        for (auto i = row.first_starting_at_or_after(from, row.first(), last); i < last; ++i) {
          if (row.end(i) > model().live_edge()) break;
          found.push_back(row.event(i));
          found.back().lane = static_cast<trace::LaneId>(l);
        }
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    return found;
  }
  /// Those that are in view as a whole.
  std::vector<trace::Event> events_in_view(trace::LaneKind kind) {
    std::vector<trace::Event> found = events_since(kind, axis().begin_ns());
    std::erase_if(found, [&](const trace::Event& e) { return e.end_ns > axis().end_ns(); });
    return found;
  }

  static std::unique_ptr<Desk> desk_;
};

template <class Desk>
std::unique_ptr<Desk> ScreenTest<Desk>::desk_;

}  // namespace lanescope::ui_test
