#include "desk/desk.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/background_job.h"
#include "base/time.h"
#include "render/offscreen.h"

namespace lanescope::ui_test {

using std::chrono::steady_clock;

namespace {

constexpr std::chrono::nanoseconds kFrame{1'000'000'000 / 60};
constexpr int kPatience = 20'000;  // frames: over five minutes of the desk's time
constexpr std::chrono::minutes kPatienceByTheClock{2};

// The signs above the digits and letters of a keyboard of the United States, in pairs.
constexpr std::string_view kSigns = "1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?`~";

struct KeyOfImGui {
  int key;
  ImGuiKey of_imgui;
};
/// Those that ImGui's own controls react to.
constexpr KeyOfImGui kKeys[] = {{key::Tab, ImGuiKey_Tab},
                                {key::Left, ImGuiKey_LeftArrow},
                                {key::Right, ImGuiKey_RightArrow},
                                {key::Up, ImGuiKey_UpArrow},
                                {key::Down, ImGuiKey_DownArrow},
                                {key::PageUp, ImGuiKey_PageUp},
                                {key::PageDown, ImGuiKey_PageDown},
                                {key::Home, ImGuiKey_Home},
                                {key::End, ImGuiKey_End},
                                {key::Insert, ImGuiKey_Insert},
                                {key::Delete, ImGuiKey_Delete},
                                {key::Backspace, ImGuiKey_Backspace},
                                {key::Space, ImGuiKey_Space},
                                {key::Enter, ImGuiKey_Enter},
                                {key::Escape, ImGuiKey_Escape},
                                {key::A, ImGuiKey_A},
                                {key::C, ImGuiKey_C},
                                {key::V, ImGuiKey_V},
                                {key::X, ImGuiKey_X},
                                {key::Y, ImGuiKey_Y},
                                {key::Z, ImGuiKey_Z}};

unsigned modifier_of(int key) {
  return key == key::LeftShift ? kShift : key == key::LeftControl ? kControl : key == key::LeftAlt ? kAlt : kNone;
}

/// What a key types; 0: nothing.
char character_of(int key, unsigned modifiers) {
  if (key < key::Space || key > 127 || (modifiers & (kControl | kAlt)) != 0) return 0;
  const auto c = static_cast<char>(key);
  const bool shift = (modifiers & kShift) != 0;
  if (std::isalpha(static_cast<unsigned char>(c))) return shift ? c : static_cast<char>(std::tolower(c));
  const std::size_t sign = kSigns.find(c);
  return shift && sign != std::string_view::npos ? kSigns[sign + 1] : c;
}

/// The key that types it, and whether with Shift.
std::pair<int, bool> key_of(char c) {
  if (std::isalpha(static_cast<unsigned char>(c))) return {std::toupper(c), std::isupper(c) != 0};
  const std::size_t sign = kSigns.find(c);
  if (sign != std::string_view::npos && sign % 2 == 1) return {kSigns[sign - 1], true};
  return {c, false};
}

// No longer than a frame: the desk's clock never goes faster than the machine's while work in the background is
// awaited.
void await_work(const ui::ShellState& state) {
  const auto end = steady_clock::now() + kFrame;
  const auto busy = [&] { return base::background_works() > 0 || (state.sweep.sweep && state.sweep.sweep->running()); };
  while (busy() && steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

Desk::Desk() : time_(steady_clock::now()) {
  std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-ui-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  home_ = pattern;
  std::filesystem::create_directories(pictures());
  setenv("HOME", home_.c_str(), 1);
  setenv("XDG_CONFIG_HOME", (home_ / "config").c_str(), 1);
  for (const char* name : {"XDG_STATE_HOME", "XDG_PICTURES_DIR", "DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
  base::set_now(time_);
  static const ui::OffscreenContext for_pictures;  // frames need none
}

Desk::~Desk() {
  close();
  base::set_now(std::nullopt);
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
  options.session.in_turns = true;
  screen_ = std::make_unique<ui::Screen>(options);
  screen_->open();
  ImGui_ImplOpenGL3_Init("#version 330 core");
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM < 18700
  for (const KeyOfImGui& k : kKeys) io.KeyMap[k.of_imgui] = k.key;
#endif
  io.KeyRepeatDelay = 3600;  // a key that is held is a single press
  resize(screen_->remembered().window_width, screen_->remembered().window_height);
  try {
    screen_->begin(1);
  } catch (...) {
    end();
    throw;
  }
  frames(3);
}

void Desk::close() {
  if (!screen_) return;
  screen_->keep_preferences(width_, height_);
  end();
  buttons_ = {};
  modifiers_ = kNone;
  if (std::exchange(by_the_clock_, false)) base::set_now(time_ = steady_clock::now());
}

void Desk::end() {
  screen_->end();
  ImGui_ImplOpenGL3_Shutdown();
  screen_.reset();
}

void Desk::resize(int width, int height) {
  width_ = width;
  height_ = height;
}

void Desk::go_by_the_clock() {
  by_the_clock_ = true;
  base::set_now(std::nullopt);
}

void Desk::give_input() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  io.DeltaTime = std::chrono::duration<float>(kFrame).count();
#if IMGUI_VERSION_NUM < 18700
  io.MousePos = {pointer_.x, pointer_.y};
  std::copy(buttons_.begin(), buttons_.end(), io.MouseDown);
  io.MouseWheelH += std::exchange(wheel_.x, 0.0f);
  io.MouseWheel += std::exchange(wheel_.y, 0.0f);
  io.KeyCtrl = (modifiers_ & kControl) != 0;
  io.KeyShift = (modifiers_ & kShift) != 0;
  io.KeyAlt = (modifiers_ & kAlt) != 0;
#else
  if (wheel_.x != 0 || wheel_.y != 0) io.AddMouseWheelEvent(wheel_.x, wheel_.y);
  wheel_ = {};
#endif
}

bool Desk::frame() {
  if (screen_->shell().wants_quit()) return false;
  await_work(state());
  const auto before =
      std::exchange(time_, by_the_clock_ ? std::max(steady_clock::now(), time_ + kFrame) : time_ + kFrame);
  if (by_the_clock_) {
    std::this_thread::sleep_until(time_);
  } else {
    base::set_now(time_);
  }
  if (screen_->refresh_look()) letters_have_changed();
  give_input();
  ImGui::GetIO().DeltaTime = std::chrono::duration<float>(time_ - before).count();
  screen_->draw(pointer_.x, pointer_.y);
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
  }
#endif
  DrawnTexts::collect(*ImGui::GetDrawData());
  if (shell().wants_screenshot()) shell().save_screenshot(screen_->paint(1, state().preferences.theme));
  screen_->finish_frame();
  return true;
}

bool Desk::until(const std::function<bool()>& done) {
  const auto deadline = steady_clock::now() + kPatienceByTheClock;
  for (int i = 0; !done(); ++i) {
    if (by_the_clock_ ? steady_clock::now() > deadline : i == kPatience) return false;
    frames(1);
  }
  return true;
}

void Desk::frames(int count) {
  for (int i = 0; i < count; ++i) {
    if (!frame()) FAIL() << "the window was closed";
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
    const bool left_panel = r.x + r.width < 270;
    return !left_panel || (r.y > 50 && r.y + r.height < static_cast<float>(height_) - 40);
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
  pointer_ = p;
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMousePosEvent(p.x, p.y);
#endif
  frames(2);
}

void Desk::button(Button which, bool down) {
  const auto number = static_cast<std::size_t>(which);
  buttons_[number] = down;
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddMouseButtonEvent(static_cast<int>(number), down);
#endif
  frames(2);
}

void Desk::release() {
  button(Button::Left, false);
  frames(1);
}

void Desk::click(Point p) {
  point_at(p);
  press();
  release();
}

void Desk::double_click(Point p) {
  point_at(p);
  for (int i = 0; i < 2; ++i) {
    press();
    release();
  }
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

void Desk::wheel(int steps, unsigned modifiers) {
  hold(modifiers, true);
  for (int i = 0; i < std::abs(steps); ++i) {
    wheel_.y += steps > 0 ? 1.0f : -1.0f;
    frames(1);
  }
  frames(2);
  hold(modifiers, false);
}

void Desk::wheel_sideways(int steps) {
  for (int i = 0; i < std::abs(steps); ++i) {
    wheel_.x += steps > 0 ? 1.0f : -1.0f;
    frames(1);
  }
  frames(2);
}

// As a window system and ImGui's back end for it do: first the program, then ImGui, then the letter that was typed.
void Desk::move_key(int key, bool down) {
  const unsigned modifier = modifier_of(key);
  screen_->key(key, down ? ui::KeyMotion::Press : ui::KeyMotion::Release, static_cast<int>(modifiers_));
  ImGuiIO& io = ImGui::GetIO();
  if (modifier != kNone) modifiers_ = down ? modifiers_ | modifier : modifiers_ & ~modifier;
#if IMGUI_VERSION_NUM < 18700
  io.KeysDown[key] = down;
#else
#if IMGUI_VERSION_NUM < 18900
  constexpr ImGuiKey kCtrlKey = ImGuiKey_ModCtrl, kShiftKey = ImGuiKey_ModShift, kAltKey = ImGuiKey_ModAlt;
#else
  constexpr ImGuiKey kCtrlKey = ImGuiMod_Ctrl, kShiftKey = ImGuiMod_Shift, kAltKey = ImGuiMod_Alt;
#endif
  if (modifier != kNone) {
    io.AddKeyEvent(modifier == kControl ? kCtrlKey : modifier == kShift ? kShiftKey : kAltKey, down);
  }
  for (const KeyOfImGui& k : kKeys) {
    if (k.key == key) io.AddKeyEvent(k.of_imgui, down);
  }
#endif
  const char typed = down ? character_of(key, modifiers_) : '\0';
  if (typed != 0) io.AddInputCharacter(static_cast<unsigned char>(typed));
}

void Desk::hold(unsigned modifiers, bool down) {
  if (modifiers & kControl) move_key(key::LeftControl, down);
  if (modifiers & kShift) move_key(key::LeftShift, down);
  if (modifiers & kAlt) move_key(key::LeftAlt, down);
  if (modifiers != kNone) frames(1);
}

void Desk::key_down(int key) {
  move_key(key, true);
  frames(2);
}

void Desk::key_up(int key) {
  move_key(key, false);
  frames(2);
}

void Desk::key(int key, unsigned modifiers) {
  hold(modifiers, true);
  key_down(key);
  key_up(key);
  hold(modifiers, false);
}

void Desk::tap(int key, unsigned modifiers) {
  hold(modifiers, true);
  move_key(key, true);
  move_key(key, false);
  frames(2);
  hold(modifiers, false);
}

void Desk::type(std::string_view text) {
  for (const char c : text) {
    const auto [key, shifted] = key_of(c);
    tap(key, shifted ? kShift : kNone);
  }
}

// --- DeskTest ------------------------------------------------------------------------------------------------------

std::unique_ptr<Desk> DeskTest::desk_;

ui::WindowOptions DeskTest::usual() {
  ui::WindowOptions options;
  options.session.device = "sim:rtx4090";
  options.session.in_turns = true;  // also where the session is started by itself
  return options;
}

void DeskTest::SetUpTestSuite() {
  desk_ = std::make_unique<Desk>();
  desk_->remember("tour_done = true\nwindow_width = 1440\nwindow_height = 960");
  desk_->open(usual());
}

void DeskTest::TearDownTestSuite() { desk_.reset(); }

void DeskTest::SetUp() {
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

void DeskTest::run(const std::vector<std::string>& assignments, double speed) {
  const std::uint64_t before = model().generation();
  session::SessionOptions options = usual().session;
  options.assignments = assignments;
  options.speed = speed;
  state().requests.run = options;
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  wait_for_iterations(6);
}

void DeskTest::wait_for_iterations(std::size_t count) {
  ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() >= count; }))
      << model().analysis().records().size() << " iterations";
}

void DeskTest::hold_still() {
  model().set_paused(true);
  state().view.pan(0);
  const auto settled = [this, edge = Nanoseconds{-1}]() mutable {
    return std::exchange(edge, model().live_edge()) == model().live_edge() && !state().view.moving();
  };
  ASSERT_TRUE(desk().until(settled));
}

std::vector<std::string> DeskTest::markers() {
  std::vector<std::string> found;
  for (const trace::Event& m : model().analysis().markers()) {
    found.emplace_back(model().trace().names().text(m.name));
  }
  return found;
}

Point DeskTest::point_of(trace::LaneKind kind, const trace::Event& event) {
  const auto rect = state().timeline.lane_rect(model().trace(), kind);
  EXPECT_TRUE(rect.has_value());
  const float x = (axis().to_px(event.start_ns) + axis().to_px(event.end_ns)) / 2;
  return {x, rect ? rect->y + std::min(rect->height, 20.0f) / 2 : 0};
}

std::vector<trace::Event> DeskTest::events_since(trace::LaneKind kind, Nanoseconds from) {
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

std::vector<trace::Event> DeskTest::events_in_view(trace::LaneKind kind) {
  std::vector<trace::Event> found = events_since(kind, axis().begin_ns());
  std::erase_if(found, [&](const trace::Event& e) { return e.end_ns > axis().end_ns(); });
  return found;
}

}  // namespace lanescope::ui_test
