// What the benchmarks measure of a real window.
#pragma once

#include "window/window.h"

namespace lanescope::ui {

struct FrameMeasurement {
  double frames_per_second = 0, p99_ms = 0;
};
/// Draws a live run for `seconds` at 1600x900 without a limit on the frames.
FrameMeasurement measure_frames(WindowOptions options, double seconds);
/// The same at 3840x2160, with a run at full speed, while somebody zooms and pans.
FrameMeasurement measure_large_frames(WindowOptions options, double seconds);
/// The share of one core that the program uses while the run is paused and there is no input.
double measure_rest(WindowOptions options, double seconds);
/// When the first picture is on the screen, in seconds of std::chrono::steady_clock, which whoever started the program
/// can read, too.
double measure_start(WindowOptions options);

}  // namespace lanescope::ui
