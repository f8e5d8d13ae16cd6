// Promise: memory. Resident bytes per event in a full trace, as reported by the kernel.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <stdexcept>

#include "capture/recorder.h"
#include "promise.h"
#include "resident.h"

namespace lanescope::bench {
namespace {

constexpr std::size_t kCapBytes = std::size_t{512} << 20;
constexpr std::size_t kEvents = 20'000'000;  // half as many again as the cap holds
constexpr trace::LaneId kLanes = 8;

void memory(benchmark::State& state) {
  for (auto _ : state) {
    malloc_trim(0);
    const std::size_t before = resident_bytes();
    trace::Trace trace(kCapBytes);
    capture::Recorder recorder(trace, capture::WhenFull::Wait);
    for (trace::LaneId l = 0; l < kLanes; ++l) {
      trace::LaneInfo info;
      info.stream = l;
      recorder.lane(info);
    }
    const auto writer = recorder.open_writer();
    for (std::size_t i = 0; i < kEvents; ++i) {
      trace::Event event;
      event.lane = static_cast<trace::LaneId>(i % kLanes);
      event.start_ns = static_cast<trace::Nanoseconds>(i) * 10;
      event.end_ns = event.start_ns + 70;
      writer->write(event);
    }
    recorder.flush();
    const std::size_t after = resident_bytes();
    const trace::TraceCounts counts = trace.counts();
    if (counts.recorded != kEvents || counts.evicted == 0) throw std::runtime_error("the trace is not full");
    const auto kept = static_cast<double>(counts.recorded - counts.evicted);
    state.counters["events_kept"] = kept;
    at_most(state, static_cast<double>(after - before) / kept, 40);
  }
}
BENCHMARK(memory)->Name("memory: resident bytes per event in a full trace")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
