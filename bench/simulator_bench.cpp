// Promises: the simulator is fast. Virtual time relative to wall time for linear-mse, headless, with everything
// recorded and analysed as in `lanescope run`; and the products of loops that compute, relative to additions one after
// the other.
#include <benchmark/benchmark.h>

#include <array>

#include "device/op.h"
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

// Forward and both backward products of a layer: 3 x 64 x 256 x 256 multiplications and additions.
void products(benchmark::State& state) {
  constexpr std::int32_t m = 64, n = 256, k = 256;
  std::vector<float> x(m * k, 0.5f), w(n * k, 0.25f), bias(n, 1.0f), out(m * n), dw(n * k), dx(m * k);
  for (auto _ : state) {
    std::vector<double> ratios;
    for (int round = 0; round < 20 * kRounds; ++round) {
      const double product = ns_per(std::size_t{3} * m * n * k, [&] {
        ops::run_reference({ops::OpKind::LinearForward, m, n, k}, std::array<std::span<float>, 4>{x, w, bias, out});
        ops::run_reference({ops::OpKind::LinearWeightGrad, m, n, k}, std::array<std::span<float>, 3>{out, x, dw});
        ops::run_reference({ops::OpKind::LinearInputGrad, m, n, k}, std::array<std::span<float>, 3>{out, w, dx});
      });
      float sum = 0;
      const double addition = ns_per(dw.size(), [&] {
        for (const float value : dw) sum += value;
        benchmark::DoNotOptimize(sum);
      });
      ratios.push_back(product / addition);
    }
    at_most(state, median(ratios), 0.15);
  }
}
BENCHMARK(products)->Name("the simulator computes fast: a multiplication of a product / an addition")->Iterations(1);

}  // namespace
}  // namespace lanescope::bench
