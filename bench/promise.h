// How a benchmark reports a promise: as counters that bench/promises.py reads.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace lanescope::bench {

using Clock = std::chrono::steady_clock;

inline void at_most(benchmark::State& state, double value, double goal) {
  state.counters["value"] = value;
  state.counters["at_most"] = goal;
}
inline void at_least(benchmark::State& state, double value, double goal) {
  state.counters["value"] = value;
  state.counters["at_least"] = goal;
}

/// Nanoseconds taken by a function, divided by `count`.
template <typename Function>
double ns_per(std::size_t count, Function&& function) {
  const Clock::time_point start = Clock::now();
  function();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(count);
}

/// CPU seconds of this thread so far. On a shared machine, wall-clock time would mostly measure the other programs.
inline double worked_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// The same of all threads.
inline double process_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

inline double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace lanescope::bench
