// Promise: the simulator is fast. Virtual time relative to wall time for linear-mse, headless, with everything recorded
// and analysed as in `lanescope run`.
#include <benchmark/benchmark.h>

#include "experiment/measured_run.h"
#include "promise.h"

namespace lanescope::bench {
namespace {

constexpr std::uint64_t kIterations = 50'000;
constexpr int kRounds = 5;

// The slower of reading the loss always and never.
void simulator(benchmark::State& state) {
  for (auto _ : state) {
    double worst = 0;
    for (const char* log_interval : {"log_interval=1", "log_interval=0"}) {
      std::vector<double> speeds;
      for (int round = 0; round < kRounds; ++round) {
        session::SessionOptions options;
        options.workload = "linear-mse";
        options.assignments = {log_interval};
        options.iterations = kIterations;
        experiment::MeasuredRun run(options);
        const double wall_ns = ns_per(1, [&] { run.run(); });
        speeds.push_back(static_cast<double>(run.figures().elapsed_ns) / wall_ns);
      }
      const double speed = median(speeds);
      worst = worst == 0 ? speed : std::min(worst, speed);
    }
    at_least(state, worst, 200);
  }
}
BENCHMARK(simulator)->Name("the simulator is fast: virtual time / wall time")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
