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

Desk::Desk() : hands_(the_hands()) {}

Desk::~Desk() { close(); }

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

ui::WindowOptions Desk::usual() {
  ui::WindowOptions options;
  options.session.device = "sim:rtx4090";
  options.frames_unlimited = true;
  return options;
}

}  // namespace lanescope::ui_test
