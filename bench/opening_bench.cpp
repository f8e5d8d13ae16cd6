// Promises: a trace file of 10,000,000 events is opened beside the drawing, and its first frame is there at once. In a
// real window; needs a display, a virtual one as a rule.
#include <GLFW/glfw3.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "io/chrome_trace.h"
#include "promise.h"
#include "synthetic_loop.h"
#include "ui/window.h"

namespace lanescope::bench {
namespace {

constexpr std::uint64_t kEvents = 10'000'000;

struct Measured {
  double opening_s = 0;       ///< from the wish to the first frame
  double first_frame_ms = 0;  ///< of that, after everything had been read
  double worked_ms = 0;       ///< by the window's own thread for that frame
  double longest_ms = 0;      ///< of the frames meanwhile
  double file_gb = 0;
};

class TraceFile {
 public:
  TraceFile()
      : path_(std::filesystem::temp_directory_path() / ("lanescope-bench-" + std::to_string(getpid()) + ".json")) {
    SyntheticTrace trace(kEvents);
    io::write_chrome_trace(path_, trace.trace(), {});
  }
  ~TraceFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Measured measure() {
  const TraceFile file;
  Measured measured;
  measured.file_gb = static_cast<double>(std::filesystem::file_size(file.path())) * 1e-9;
  ui::WindowOptions options;
  options.plain = true;
  options.frames_unlimited = true;  // it does not sleep
  options.session.device = "sim:rtx4090";
  ui::Window window(options);
  glfwSetWindowSize(window.handle(), 1600, 900);
  ui::ShellState& state = window.shell().state();
  state.tour = ui::TourStep::Off;
  for (int i = 0; i < 30; ++i) window.frame();
  state.model.set_paused(true);
  state.file_to_open = file.path();
  const auto begin = Clock::now();
  const std::uint64_t generation = state.model.generation();
  std::vector<double> frames;
  for (;;) {
    const auto frame = Clock::now();
    const double worked = worked_s();
    window.frame();  // the one that takes what has been read, at its end, is measured with the first one that shows it
    if (state.model.generation() != generation) {
      window.frame();
      measured.first_frame_ms = ms_since(frame);
      measured.worked_ms = (worked_s() - worked) * 1e3;
      break;
    }
    if (ms_since(begin) > 500e3 || (state.toast && state.toast->error)) throw std::runtime_error("it did not open");
    frames.push_back(ms_since(frame));
  }
  measured.opening_s = ms_since(begin) * 1e-3;
  measured.longest_ms = *std::max_element(frames.begin(), frames.end());
  if (state.model.trace().counts().recorded != kEvents) throw std::runtime_error("events were lost");
  return measured;
}

const Measured& measured() {
  static const Measured once = measure();
  return once;
}

void first_frame(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["opening_s"] = measured().opening_s;
    state.counters["worked_ms"] = measured().worked_ms;
    state.counters["longest_frame_meanwhile_ms"] = measured().longest_ms;
    at_most(state, measured().first_frame_ms, 100);
  }
}
BENCHMARK(first_frame)
    ->Name("opening: first frame of 10,000,000 events after they have been read, ms")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void whole(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["file_gb"] = measured().file_gb;
    at_most(state, measured().opening_s, 60);
  }
}
BENCHMARK(whole)->Name("opening: 10,000,000 events, s")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
