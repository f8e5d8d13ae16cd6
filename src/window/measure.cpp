#include "window/measure.h"

#include "render/gl.h"
// First: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/platform/system.h"

namespace lanescope::ui {
namespace {

using Clock = std::chrono::steady_clock;

/// Draws frames, each after `before` was called with the time since the beginning and since the last frame. Returns how
/// many seconds it took.
double run_for(Window& window, double wanted, const std::function<void(double, double)>& before = {}) {
  const auto begin = Clock::now();
  const auto since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double last = 0;
  for (double now = 0; now < wanted; now = since()) {
    if (before) before(now, now - last);
    last = now;
    if (!window.frame()) break;
  }
  return since();
}

FrameMeasurement measure(Window& window, double seconds, const std::function<void(double, double)>& before = {}) {
  while (window.shell().state().opening.running() && window.frame()) {
  }
  run_for(window, 1.5, before);  // fonts, shaders and the first iterations
  window.forget_frame_times();
  const double took = run_for(window, seconds, before);
  FrameMeasurement result;
  std::vector<float> times = window.frame_times_ms();
  if (times.empty()) return result;
  result.frames_per_second = static_cast<double>(times.size()) / took;
  std::sort(times.begin(), times.end());
  result.p99_ms = static_cast<double>(times[std::min(times.size() - 1, times.size() * 99 / 100)]);
  return result;
}

// Four seconds each: zooms out and in, pans there and back, and lets it roll.
void move_view(ViewControl& view, double now, double since_last) {
  const double phase = std::fmod(now, 4.0);
  const float middle = view.axis().left_px() + view.axis().width_px() / 2;
  if (phase < 1.5) {
    view.zoom(std::exp((phase < 0.75 ? -2 : 2) * since_last), middle);
  } else if (phase < 3) {
    view.pan(static_cast<float>((phase < 2.25 ? 600 : -600) * since_last));
  } else if (view.mode() != ViewMode::Roll) {
    view.set_mode(ViewMode::Roll);
  }
}

}  // namespace

FrameMeasurement measure_frames(WindowOptions options, double seconds) {
  options.frames_unlimited = options.first_start = true;
  Window window(options);
  glfwSetWindowSize(window.handle(), 1600, 900);
  return measure(window, seconds);
}

FrameMeasurement measure_large_frames(WindowOptions options, double seconds) {
  options.frames_unlimited = options.first_start = options.plain = true;
  options.speed = 1;
  Window window(options);
  glfwSetWindowSize(window.handle(), 3840, 2160);
  ShellState& state = window.shell().state();
  state.tour = TourStep::Off;
  return measure(window, seconds, [&](double now, double since) { move_view(state.view, now, since); });
}

double measure_rest(WindowOptions options, double seconds) {
  options.first_start = true;
  Window window(options);
  run_for(window, 1.5);
  window.shell().state().model.set_paused(true);
  run_for(window, 1.5);
  const double cpu = base::process_seconds();
  const double wall = run_for(window, seconds);
  return (base::process_seconds() - cpu) / wall;
}

double measure_start(WindowOptions options) {
  options.first_start = true;
  Window window(options);
  while (window.frame_times_ms().empty() && window.frame()) {
  }
  glFinish();
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace lanescope::ui
