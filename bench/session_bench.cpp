// Promises: a session file is opened at 10,000,000 events per second of one core. Also measures what it costs to write
// one, and how large it is.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "io/trace_file.h"
#include "promise.h"
#include "synthetic_loop.h"

namespace lanescope::bench {
namespace {

constexpr std::uint64_t kEvents = 10'000'000;

struct Measured {
  double written_s = 0, appended_s = 0, bytes = 0;
  double opened_s = 0;  ///< CPU time, the median of some
};

Measured measure() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("lanescope-bench-" + std::to_string(getpid()) + ".lanescope");
  Measured measured;
  {
    SyntheticTrace trace(kEvents);
    double begin = worked_s();
    io::SessionWriter(path, trace.trace()).finish({});
    measured.appended_s = worked_s() - begin;
    begin = worked_s();
    io::write_session(path, trace.trace(), {});
    measured.written_s = worked_s() - begin;
  }
  measured.bytes = static_cast<double>(std::filesystem::file_size(path));
  std::vector<double> opened;
  for (int i = 0; i < 5; ++i) {
    const double begin = worked_s();
    const io::OpenedTrace again = io::read_trace(path);
    opened.push_back(worked_s() - begin);
    if (again.trace->counts().recorded != kEvents || !again.incomplete.empty())
      throw std::runtime_error("events were lost");
  }
  measured.opened_s = median(opened);
  std::filesystem::remove(path);
  return measured;
}

void opening(benchmark::State& state) {
  for (auto _ : state) {
    const Measured measured = measure();
    state.counters["bytes_per_event"] = measured.bytes / static_cast<double>(kEvents);
    state.counters["written_ns_per_event"] = measured.written_s * 1e9 / static_cast<double>(kEvents);
    state.counters["appended_ns_per_event"] = measured.appended_s * 1e9 / static_cast<double>(kEvents);
    state.counters["events_per_s"] = static_cast<double>(kEvents) / measured.opened_s;
    at_most(state, measured.opened_s * 1e9 / static_cast<double>(kEvents), 100);
  }
}
BENCHMARK(opening)
    ->Name("session file: opening 10,000,000 events, ns per event")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
