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
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) unsetenv(name);
  base::set_now(time_);
  static const ui::OffscreenContext for_pictures;  // frames need none
}

Desk::~Desk() {
  close();
  base::set_now(std::nullopt);
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

void Desk::double_click(Point p) {
  point_at(p);
  for (int i = 0; i < 2; ++i) {
    press();
    release();
  }
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
  if (typed != 0) screen_->character(static_cast<unsigned char>(typed));
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

void Desk::act(ui::Action action) {
  perform(state(), action);
  frames(4);
}

void Desk::type(std::string_view text) {
  for (const char c : text) {
    const auto [key, shifted] = key_of(c);
    tap(key, shifted ? kShift : kNone);
  }
}

ui::WindowOptions Desk::usual() {
  ui::WindowOptions options;
  options.session.device = "sim:rtx4090";
  options.session.in_turns = true;  // also where the session is started by itself
  return options;
}

std::vector<std::string> DeskTest::markers() {
  std::vector<std::string> found;
  for (const trace::Event& m : model().analysis().markers()) {
    found.emplace_back(model().trace().names().text(m.name));
  }
  return found;
}

}  // namespace lanescope::ui_test
