// What the benchmarks of a real window have in common.
#pragma once

#include <GLFW/glfw3.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "model/source/live_source.h"
#include "window/window.h"

namespace lanescope::bench {

/// The size that the promises are about, without the tour.
inline void make_ready(ui::Window& window) {
  glfwSetWindowSize(window.handle(), 1600, 900);
  window.shell().state().tour = ui::TourStep::Off;
}

/// The run that it shows.
inline session::Session& session_of(ui::Window& window) {
  return dynamic_cast<ui::LiveSource&>(window.shell().state().model.source()).session();
}

/// The 99th percentile of frame times.
inline double p99_of(std::vector<float> times) {
  if (times.empty()) throw std::runtime_error("no frame was drawn");
  std::ranges::sort(times);
  return static_cast<double>(times[std::min(times.size() - 1, times.size() * 99 / 100)]);
}

}  // namespace lanescope::bench
