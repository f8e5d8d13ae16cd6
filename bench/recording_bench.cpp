// Promise: recording is cheap. Sink and ingest, per event, compared with pushing the same struct into a reserved
// std::vector.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <vector>

#include "capture/recorder.h"
#include "promise.h"

namespace lanescope::bench {
namespace {

constexpr std::size_t kEvents = 2'000'000;
constexpr int kRounds = 9;
constexpr trace::LaneId kLanes = 4;

// Calls alternating with the kernels they issue, as in a training loop.
trace::Event event_number(std::size_t i) {
  trace::Event event;
  event.lane = static_cast<trace::LaneId>(i % kLanes);
  event.start_ns = static_cast<trace::Nanoseconds>(i) * 10;
  event.end_ns = event.start_ns + 7;
  event.correlation = static_cast<std::uint32_t>(i);
  event.kind = i % 2 == 0 ? trace::EventKind::Call : trace::EventKind::Kernel;
  return event;
}

// Both sides start with untouched memory and end with every event stored.
double vector_ns() {
  std::optional<std::vector<trace::Event>> events;
  const double ns = ns_per(kEvents, [&] {
    events.emplace().reserve(kEvents);
    for (std::size_t i = 0; i < kEvents; ++i) {
      events->push_back(event_number(i));
      benchmark::ClobberMemory();
    }
  });
  benchmark::DoNotOptimize(events->data());
  return ns;
}

double recorder_ns() {
  trace::Trace trace;
  capture::Recorder recorder(trace, capture::WhenFull::Wait);
  for (trace::LaneId l = 0; l < kLanes; ++l) {
    trace::LaneInfo info;
    info.stream = l;
    recorder.lane(info);
  }
  const auto writer = recorder.open_writer();
  const double ns = ns_per(kEvents, [&] {
    for (std::size_t i = 0; i < kEvents; ++i) writer->write(event_number(i));
    recorder.flush();
  });
  if (trace.counts().recorded != kEvents) throw std::runtime_error("events were lost");
  return ns;
}

void recording(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<double> vectors, recorders, ratios;
    for (int round = 0; round < kRounds; ++round) {
      vectors.push_back(vector_ns());
      recorders.push_back(recorder_ns());
      ratios.push_back(recorders.back() / vectors.back());
    }
    state.counters["vector_ns"] = median(vectors);
    state.counters["recorder_ns"] = median(recorders);
    at_most(state, median(ratios), 4);
  }
}
BENCHMARK(recording)->Name("recording is cheap: ns per event / push_back")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
