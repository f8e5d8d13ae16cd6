#include "window/desk.h"

#include <epoxy/gl.h>
// epoxy first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <X11/keysym.h>
#include <dlfcn.h>
#include <imgui.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace lanescope::ui_test {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{120};  // a sanitizer on a busy machine needs more than 20

// One connection for all tests: the X server starts anew, and refuses connections meanwhile, when the last one closes.
static Hands& the_hands() {
  static Hands hands;
  return hands;
}

// The window system unloads the OpenGL driver with its window, and what a leak checker finds of it afterwards has no
// name any more. So it stays loaded, with all that came with it.
static void keep_libraries_loaded() {
  std::vector<std::string> paths;
  const auto note = [](dl_phdr_info* info, std::size_t, void* list) {
    if (*info->dlpi_name) static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(note, &paths);
  for (const std::string& path : paths) dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

Desk::Desk() : hands_(the_hands()) {
  std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-ui-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  home_ = pattern;
  std::filesystem::create_directories(pictures());
  setenv("HOME", home_.c_str(), 1);
  setenv("XDG_CONFIG_HOME", (home_ / "config").c_str(), 1);
  unsetenv("XDG_STATE_HOME");
  unsetenv("XDG_PICTURES_DIR");
}

Desk::~Desk() {
  close();
  std::error_code ignored;
  std::filesystem::remove_all(home_, ignored);
}

std::vector<std::filesystem::path> Desk::saved() const {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(pictures())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void Desk::remember(const std::string& settings) const {
  std::filesystem::create_directories(settings_file().parent_path());
  std::ofstream(settings_file()) << settings << "\npicture_folder = \"" << pictures().string() << "\"\n";
}

void Desk::open(ui::WindowOptions options) {
  close();
  window_ = std::make_unique<ui::Window>(options);
  keep_libraries_loaded();
  ImGui::GetIO().KeyRepeatDelay = 3600;  // nor by ImGui's own clock: see Hands
  frames(3);
}

bool Desk::until(const std::function<bool()>& done) {
  const auto deadline = steady_clock::now() + kPatience;
  while (!done()) {
    if (steady_clock::now() > deadline) return false;
    frames(1);
  }
  return true;
}

void Desk::frames(int count) {
  for (int i = 0; i < count; ++i) {
    glfwPostEmptyEvent();  // else a window at rest would sleep
    if (!window_->frame()) FAIL() << "the window was closed";
  }
}

bool Desk::has_place(const std::string& name) { return state().places.contains(name); }

Rect Desk::place(const std::string& name) {
  if (!until([&] { return has_place(name); })) {
    ADD_FAILURE() << "nothing is drawn as '" << name << "'";
    return {};
  }
  const auto in_panel = [&] {
    const Rect& r = state().places[name];
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const bool left_panel = r.x + r.width < 270;
    return !left_panel || (r.y > 50 && r.y + r.height < display.y - 40);
  };
  for (int i = 0; i < 40 && !in_panel(); ++i) {
    point_at({20, 300});
    const float before = state().places[name].y;
    wheel(before > 300 ? -1 : 1);
    frames(2);
  }
  return state().places[name];
}

void Desk::point_at(Point p) {
  int x = 0;
  int y = 0;
  glfwGetWindowPos(window_->handle(), &x, &y);
  x += static_cast<int>(std::lround(p.x));
  y += static_cast<int>(std::lround(p.y));
  // From 1.87 on, Dear ImGui is only told of moves: not of a pointer that rests where the window opens.
  const Hands::Pointer pointer = hands_.pointer();
  if (pointer.x == x && pointer.y == y) hands_.move_to(x + 1, y);
  hands_.move_to(x, y);
  EXPECT_TRUE(until([&] {
    const ImVec2 at = ImGui::GetIO().MousePos;
    return std::abs(at.x - p.x) < 1.01f && std::abs(at.y - p.y) < 1.01f;
  })) << "the pointer does not arrive at "
      << p.x << ", " << p.y;
  frames(1);
}

void Desk::press() {
  hands_.button(1, true);
  EXPECT_TRUE(until([] { return ImGui::GetIO().MouseDown[0]; }));
  frames(1);
}

void Desk::release() {
  hands_.button(1, false);
  EXPECT_TRUE(until([] { return !ImGui::GetIO().MouseDown[0]; }));
  frames(2);
}

void Desk::click(Point p) {
  point_at(p);
  press();
  release();
}

void Desk::click(const std::string& name) {
  // What has just come may still be finding its place.
  frames(2);
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

void Desk::drag(Point from, Point to) {
  constexpr int kSteps = 8;
  point_at(from);
  press();
  for (int i = 1; i <= kSteps; ++i) {
    const float part = static_cast<float>(i) / kSteps;
    point_at({from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part});
  }
  release();
}

void Desk::hold(unsigned modifiers, bool down) {
  if (modifiers & kControl) hands_.key(XK_Control_L, down);
  if (modifiers & kShift) hands_.key(XK_Shift_L, down);
  if (modifiers & kAlt) hands_.key(XK_Alt_L, down);
  if (modifiers == kNone) return;
  const auto held = [&] {
    const ImGuiIO& io = ImGui::GetIO();
    return (!(modifiers & kControl) || io.KeyCtrl == down) && (!(modifiers & kShift) || io.KeyShift == down) &&
           (!(modifiers & kAlt) || io.KeyAlt == down);
  };
  EXPECT_TRUE(until(held));
}

void Desk::wheel(int steps, unsigned modifiers) {
  hold(modifiers, true);
  for (int i = 0; i < std::abs(steps); ++i) {
    hands_.button(steps > 0 ? 4 : 5, true);
    hands_.button(steps > 0 ? 4 : 5, false);
    frames(1);
  }
  frames(2);
  hold(modifiers, false);
}

void Desk::key_down(unsigned long symbol) {
  hands_.key(symbol, true);
  frames(2);
}

void Desk::key_up(unsigned long symbol) {
  hands_.key(symbol, false);
  frames(2);
}

void Desk::key(unsigned long symbol, unsigned modifiers) {
  hold(modifiers, true);
  key_down(symbol);
  key_up(symbol);
  hold(modifiers, false);
}

void Desk::tap(unsigned long symbol, unsigned modifiers) {
  hold(modifiers, true);
  hands_.key(symbol, true);
  hands_.key(symbol, false);
  frames(2);
  hold(modifiers, false);
}

void Desk::type(std::string_view text) {
  for (const char c : text) {
    // Xvfb's keyboard is that of the United States.
    const bool shifted =
        (c >= 'A' && c <= 'Z') || std::string_view("~!@#$%^&*()_+{}|:\"<>?").find(c) != std::string_view::npos;
    if (shifted) hold(kShift, true);
    hands_.key(static_cast<unsigned char>(c), true);
    hands_.key(static_cast<unsigned char>(c), false);
    frames(2);
    if (shifted) hold(kShift, false);
  }
}

// --- WindowTest ------------------------------------------------------------------------------------------------------

std::unique_ptr<Desk> WindowTest::desk_;

ui::WindowOptions WindowTest::usual() {
  ui::WindowOptions options;
  options.session.device = "sim:rtx4090";
  options.frames_unlimited = true;
  return options;
}

void WindowTest::SetUpTestSuite() {
  desk_ = std::make_unique<Desk>();
  desk_->remember("tour_done = true\nwindow_width = 1440\nwindow_height = 960");
  desk_->open(usual());
}

void WindowTest::TearDownTestSuite() { desk_.reset(); }

void WindowTest::SetUp() {
  ui::ShellState& s = state();
  s.selection.clear();
  s.toast.reset();
  s.knob_editing.setting.clear();
  s.overlays.open.reset();
  s.experiment.active.reset();
  s.preferences.language = experiment::Language::English;
  s.device_menu.recorded = ui::recorded_captures();
  s.tour = ui::TourStep::Off;
  s.plots.on_timeline_axis.reset();
  s.preferences.theme = ui::ThemeName::Dark;
  s.preferences.font_scale = 1;
  s.view.set_mode(ui::ViewMode::Trigger);
  run({});
}

void WindowTest::run(const std::vector<std::string>& assignments, double speed) {
  const std::uint64_t before = model().generation();
  session::SessionOptions options = usual().session;
  options.assignments = assignments;
  options.speed = speed;
  state().requests.run = options;
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  wait_for_iterations(6);
}

void WindowTest::wait_for_iterations(std::size_t count) {
  ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() >= count; }))
      << model().analysis().records().size() << " iterations";
}

void WindowTest::hold_still() {
  model().set_paused(true);
  state().view.pan(0);
  const auto settled = [this, edge = Nanoseconds{-1}]() mutable {
    return std::exchange(edge, model().live_edge()) == model().live_edge() && !state().view.moving();
  };
  ASSERT_TRUE(desk().until(settled));
}

Point WindowTest::point_of(trace::LaneKind kind, const trace::Event& event) {
  const auto rect = state().timeline.lane_rect(model().trace(), kind);
  EXPECT_TRUE(rect.has_value());
  const float x = (axis().to_px(event.start_ns) + axis().to_px(event.end_ns)) / 2;
  return {x, rect ? rect->y + std::min(rect->height, 20.0f) / 2 : 0};
}

std::vector<trace::Event> WindowTest::events_since(trace::LaneKind kind, Nanoseconds from) {
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

std::vector<trace::Event> WindowTest::events_in_view(trace::LaneKind kind) {
  std::vector<trace::Event> found = events_since(kind, axis().begin_ns());
  std::erase_if(found, [&](const trace::Event& e) { return e.end_ns > axis().end_ns(); });
  return found;
}

}  // namespace lanescope::ui_test
