// Promises: a folder of 256 recordings opens as a map at once and in little memory, because what is not looked at is
// not read. A trace file of 10,000,000 events is opened in the background, and its first frame appears at once. Uses a
// real window; needs a display, usually a virtual one.
#include <GLFW/glfw3.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "analysis/rank_recordings.h"
#include "io/trace_file.h"
#include "promise.h"
#include "resident.h"
#include "synthetic_loop.h"
#include "window/window.h"

namespace lanescope::bench {
namespace {

constexpr std::uint64_t kEvents = 10'000'000;

struct Measured {
  double opening_s = 0;       ///< from the request to the first frame
  double first_frame_ms = 0;  ///< of the first frame after reading; excludes waiting for the display
  double worked_ms = 0;       ///< CPU time of the window's thread for that frame
  double longest_ms = 0;      ///< longest of the frames during reading
  double most_worked_ms = 0;  ///< maximum CPU time of the window's thread for one of these
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

ui::WindowOptions simulated_run() {
  ui::WindowOptions options;
  options.plain = true;
  options.session.device = "sim:rtx4090";
  return options;
}
ui::ShellState& come_to_rest(ui::Window& window) {
  glfwSetWindowSize(window.handle(), 1600, 900);
  ui::ShellState& state = window.shell().state();
  state.tour = ui::TourStep::Off;
  for (int i = 0; i < 30; ++i) window.frame();
  state.model.set_paused(true);
  return state;
}

/// 256 recordings of 84,000 events each, without summaries.
struct MapMeasured {
  double first_s = 0, all_s = 0;  ///< from the request to the first frame with a map, and to that with all ranks
  double mb = 0;                  ///< at most, meanwhile
};
MapMeasured measure_map() {
  constexpr int kRanks = 256;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("lanescope-bench-ranks-" + std::to_string(getpid()));
  analysis_test::write_ranks(folder, kRanks, 100, 2000, 40);
  ui::Window window(simulated_run());
  ui::ShellState& state = come_to_rest(window);
  MapMeasured measured;
  const PeakMemory peak;
  const auto begin = Clock::now();
  state.requests.files = {folder};
  while (measured.all_s == 0) {
    glfwPostEmptyEvent();  // there is no input
    const bool map = state.places.contains("job_map");
    if (map && measured.first_s == 0) measured.first_s = ms_since(begin) * 1e-3;
    if (map && !state.job_folder.reading()) measured.all_s = ms_since(begin) * 1e-3;
    if (ms_since(begin) > 300e3) throw std::runtime_error("it did not open");
    window.frame();
  }
  measured.mb = peak.bytes() * 1e-6;
  std::filesystem::remove_all(folder);
  if (state.job_folder.look()->report.ranks.size() != kRanks) throw std::runtime_error("ranks were lost");
  return measured;
}
const MapMeasured& map_measured() {
  static const MapMeasured once = measure_map();
  return once;
}

void map_time(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["first_map_s"] = map_measured().first_s;
    at_most(state, map_measured().all_s, 4);
  }
}
BENCHMARK(map_time)->Name("opening: all of 256 recordings as a map, s")->Iterations(1)->Unit(benchmark::kSecond);

void map_memory(benchmark::State& state) {
  for (auto _ : state) at_most(state, map_measured().mb, 600);
}
BENCHMARK(map_memory)
    ->Name("opening: 256 recordings until all of them are read, MB")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

Measured measure() {
  const TraceFile file;
  Measured measured;
  measured.file_gb = static_cast<double>(std::filesystem::file_size(file.path())) * 1e-9;
  ui::Window window(simulated_run());
  ui::ShellState& state = come_to_rest(window);
  state.requests.files = {file.path()};
  const auto begin = Clock::now();
  const std::uint64_t generation = state.model.generation();
  window.forget_frame_times();
  double worked = 0;
  // At a user's frame rate, which leaves the machine to the reader.
  while (state.model.generation() == generation) {
    if (ms_since(begin) > 500e3 || (state.toast && state.toast->error)) throw std::runtime_error("it did not open");
    if (!state.opening.running()) glfwPostEmptyEvent();  // there is no input
    worked = worked_s();
    window.frame();
    if (state.model.generation() == generation) {
      measured.most_worked_ms = std::max(measured.most_worked_ms, (worked_s() - worked) * 1e3);
    }
  }
  // The frame that completed the opening is measured together with the first one that shows it.
  const std::size_t before = window.frame_times_ms().size();
  while (window.frame_times_ms().size() == before) window.frame();
  measured.worked_ms = (worked_s() - worked) * 1e3;
  const std::vector<float>& times = window.frame_times_ms();
  measured.first_frame_ms = static_cast<double>(times[before - 1] + times[before]);
  measured.longest_ms = static_cast<double>(*std::max_element(times.begin(), times.end() - 2));
  measured.opening_s = ms_since(begin) * 1e-3;
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
    state.counters["most_worked_meanwhile_ms"] = measured().most_worked_ms;
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
