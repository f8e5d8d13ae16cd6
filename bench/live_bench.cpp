// Promises: the display stays smooth while 1,000,000 events arrive per second, and none is lost. A thread writes them
// through the recorder into the run of a real window. Needs a display, usually a virtual one.
#include <benchmark/benchmark.h>

#include "live_window.h"
#include "live_writer.h"
#include "promise.h"

namespace lanescope::bench {
namespace {

constexpr double kSeconds = 10;
constexpr double kEventsPerSecond = 1e6;

struct Measured {
  double frames_per_second = 0, p99_ms = 0;
  double frames_without = 0;     ///< per second, before the writer started
  double events_per_second = 0;  ///< that arrived in the trace
  std::uint64_t lost = 0;        ///< dropped, or written but not in the trace
};

Measured measure() {
  ui::WindowOptions options;
  options.plain = true;
  options.speed = 1;
  options.frames_unlimited = true;
  options.session.device = "sim:rtx4090";
  options.memory_cap_bytes = std::size_t{4} << 30;
  ui::Window window(options);
  make_ready(window);
  session::Session& session = session_of(window);
  Measured measured;
  std::uint64_t written = 0;
  const auto run_for = [&](double wanted) {
    const auto begin = Clock::now();
    window.forget_frame_times();
    while (std::chrono::duration<double>(Clock::now() - begin).count() < wanted && window.frame()) {
    }
    const auto frames = static_cast<double>(window.frame_times_ms().size());
    return frames / std::chrono::duration<double>(Clock::now() - begin).count();
  };
  run_for(2);  // for fonts, shaders and the first iterations
  measured.frames_without = run_for(4);
  {
    LiveWriter writer(session, kEventsPerSecond);
    run_for(1);
    const std::uint64_t before = writer.written();
    const auto begin = Clock::now();
    measured.frames_per_second = run_for(kSeconds);
    written = writer.written();
    measured.events_per_second =
        static_cast<double>(written - before) / std::chrono::duration<double>(Clock::now() - begin).count();
  }
  measured.p99_ms = p99_of(window.frame_times_ms());
  session.stop();
  const trace::TraceCounts counts = session.trace().counts();
  measured.lost =
      counts.dropped + counts.late + counts.evicted + (counts.recorded < written ? written - counts.recorded : 0);
  return measured;
}

const Measured& measured() {
  static const Measured once = measure();
  return once;
}

void frame_rate(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["events_per_second"] = measured().events_per_second;
    state.counters["frames_without_them"] = measured().frames_without;
    at_least(state, measured().frames_per_second, 60);
  }
}
BENCHMARK(frame_rate)
    ->Name("smooth at 1,000,000 events per second: frames per second")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void frame_time(benchmark::State& state) {
  for (auto _ : state) at_most(state, measured().p99_ms, 33);
}
BENCHMARK(frame_time)
    ->Name("smooth at 1,000,000 events per second: 99th percentile of frame times, ms")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void rate(benchmark::State& state) {
  for (auto _ : state) at_least(state, measured().events_per_second, 0.98 * kEventsPerSecond);
}
BENCHMARK(rate)
    ->Name("smooth at 1,000,000 events per second: events that came per second")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void loss(benchmark::State& state) {
  for (auto _ : state) at_most(state, static_cast<double>(measured().lost), 0);
}
BENCHMARK(loss)->Name("smooth at 1,000,000 events per second: events lost")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
