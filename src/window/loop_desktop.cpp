// How the window lives on a desktop: it waits for input, and runs until it is closed.
#include "render/gl.h"
// First: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/platform/display_server.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "shell/rescue.h"
#include "window/window.h"

namespace lanescope::ui {
namespace {

using Clock = std::chrono::steady_clock;
using base::tr;

constexpr std::chrono::microseconds kFrameTime{16'000};  // just over 60 frames a second: the display's rate decides
constexpr std::chrono::milliseconds kCalmFrameTime{60};  // if only a progress bar moves: leave the CPU to the reading
constexpr double kRestSeconds = 0.5;                     // between checks of an idle window
constexpr double kDialogSeconds = 0.1;                   // the same while a dialog of the desktop is open

// The monitor that contains the middle of the window.
GLFWmonitor* monitor_of(const Rect& window) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0;
    glfwGetMonitorPos(monitors[i], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    const float dx = window.x + window.width / 2 - static_cast<float>(x);
    const float dy = window.y + window.height / 2 - static_cast<float>(y);
    if (mode && dx >= 0 && dy >= 0 && dx < static_cast<float>(mode->width) && dy < static_cast<float>(mode->height)) {
      return monitors[i];
    }
  }
  return glfwGetPrimaryMonitor();
}

}  // namespace

void Window::settle_in() { glfwSwapInterval(options_.frames_unlimited ? 0 : 1); }

float Window::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(x, 1.0f, 4.0f);
}

void Window::leave_full_screen() {
  glfwSetWindowMonitor(window_, nullptr, static_cast<int>(windowed_.x), static_cast<int>(windowed_.y),
                       static_cast<int>(windowed_.width), static_cast<int>(windowed_.height), GLFW_DONT_CARE);
}

void Window::follow_full_screen() {
  bool& wanted = screen_.state().full_screen;
  const bool was = std::exchange(was_full_screen_, wanted);
  if (wanted == (glfwGetWindowMonitor(window_) != nullptr)) return;
  if (!wanted) return leave_full_screen();
  if (!was) {
    int x = 0, y = 0, width = 0, height = 0;
    glfwGetWindowPos(window_, &x, &y);
    glfwGetWindowSize(window_, &width, &height);
    windowed_ = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(width), static_cast<float>(height)};
  }
  // If it was, its monitor has been unplugged, and GLFW has put the window anywhere.
  GLFWmonitor* monitor = was ? glfwGetPrimaryMonitor() : monitor_of(windowed_);
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (mode) glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  wanted = was_full_screen_ = glfwGetWindowMonitor(window_) != nullptr;
  if (wanted) return;
  if (was) return leave_full_screen();
  screen_.state().show_toast(tr("this display has no full-screen mode"), true);
}

// A driver that was reset has lost what was drawn and what it was drawn with.
void Window::check_context() {
  if (epoxy_gl_version() < 45 && !epoxy_has_gl_extension("GL_KHR_robustness")) return;
  if (glGetGraphicsResetStatus() == GL_NO_ERROR) return;
  throw base::FileError(rescue_run(screen_.state(), tr("the graphics driver was reset")));
}

// Sleeps while nothing changes; otherwise keeps to the display's rate.
void Window::wait_for_work() {
  if (options_.frames_unlimited) return glfwPollEvents();
  const auto left = [&](std::chrono::microseconds pace) {
    return std::chrono::duration<double>(last_frame_ + pace - Clock::now()).count();
  };
  if (shell().moving() || screen_.owes_frames()) {
    const double pause = left(kFrameTime);
    if (pause > 0.0005) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    return glfwPollEvents();
  }
  if (shell().animating()) {
    const double pause = left(kCalmFrameTime);
    if (pause > 0.0005) glfwWaitEventsTimeout(pause);
    if (left(kCalmFrameTime) > 0.002) screen_.owe_frames();  // there was user input
    return glfwPollEvents();
  }
  const auto before = Clock::now();
  const double rest = screen_.state().files.asking.busy() ? kDialogSeconds : kRestSeconds;
  glfwWaitEventsTimeout(rest);
  if (Clock::now() - before < std::chrono::duration<double>(rest * 0.98)) screen_.owe_frames();
}

void Window::run() {
  // The X server's end comes in the middle of a call to it, and leaves no way back.
  static Window* open = nullptr;
  open = this;
  base::when_display_goes([] {
    fmt::print(stderr, "lanescope: {}\n", rescue_run(open->shell().state(), tr("the display has gone")));
    std::_Exit(1);
  });
  const struct Forgotten {
    ~Forgotten() { base::when_display_goes(nullptr); }
  } forgotten;  // also if a frame throws
  const base::Interrupt ending(base::Interrupt::Kind::TerminalCloses);
  while (frame() && !ending.asked()) {
  }
  if (ending.asked()) throw base::FileError(rescue_run(screen_.state(), tr("the window was ended from outside")));
  if (const std::string why = failure(); !why.empty()) throw base::FileError(why);
}

}  // namespace lanescope::ui
