// Promises: the display is smooth, and an idle window uses hardly any CPU. The real program measures itself in a real
// window. Needs a display, usually a virtual one.
#include <benchmark/benchmark.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "promise.h"

namespace lanescope::bench {
namespace {

nlohmann::json measure(const std::string& what) {
  const std::string command = "LANESCOPE_MEASURE=" + what + " '" + LANESCOPE_BINARY + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string output;
  std::array<char, 512> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  if (const int status = pclose(pipe); status != 0) throw std::runtime_error(command + " failed");
  return nlohmann::json::parse(output);
}

// Both figures come from one run of the program.
const nlohmann::json& frames() {
  static const nlohmann::json measured = measure("frames");
  return measured;
}
const nlohmann::json& large_frames() {
  static const nlohmann::json measured = measure("large-frames");
  return measured;
}

void frame_rate(benchmark::State& state) {
  for (auto _ : state) at_least(state, frames().at("frames_per_second").get<double>(), 60);
}
BENCHMARK(frame_rate)->Name("the picture is smooth: frames per second")->Iterations(1)->Unit(benchmark::kSecond);

void frame_time(benchmark::State& state) {
  for (auto _ : state) at_most(state, frames().at("p99_ms").get<double>(), 33);
}
BENCHMARK(frame_time)
    ->Name("the picture is smooth: 99th percentile of frame times, ms")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void large_frame_rate(benchmark::State& state) {
  for (auto _ : state) at_least(state, large_frames().at("frames_per_second").get<double>(), 30);
}
BENCHMARK(large_frame_rate)
    ->Name("the picture is smooth at 3840x2160: frames per second")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void large_frame_time(benchmark::State& state) {
  for (auto _ : state) at_most(state, large_frames().at("p99_ms").get<double>(), 50);
}
BENCHMARK(large_frame_time)
    ->Name("the picture is smooth at 3840x2160: 99th percentile of frame times, ms")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void rest(benchmark::State& state) {
  for (auto _ : state) at_most(state, 100 * measure("rest").at("cpu_fraction").get<double>(), 2);
}
BENCHMARK(rest)->Name("at rest it rests: % of a core")->Iterations(1)->Unit(benchmark::kSecond);

// From before the program is loaded to the first picture on the screen.
double start_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return measure("start").at("first_picture_at_s").get<double>() - std::chrono::duration<double>(now).count();
}

void start(benchmark::State& state) {
  start_seconds();  // so that the program's pages are in memory
  std::array<double, 5> seconds{};
  for (auto _ : state) {
    std::ranges::generate(seconds, start_seconds);
    std::ranges::sort(seconds);
    at_most(state, seconds[seconds.size() / 2], 0.5);
  }
}
BENCHMARK(start)->Name("start to the first picture, s")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
