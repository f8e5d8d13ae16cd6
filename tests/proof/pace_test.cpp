// All factors, times and rates of the experiments agree with a stopwatch.
#include "analysis/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"

namespace lanescope::proof {
namespace {

using experiment::Experiment;
using experiment::Measured;
using experiment::Side;

struct Timed {
  Measured measured;
  double elapsed_ns = 0;  // the runner's clock, around the loop and its last synchronisation: no analysis is in it
  double iterations = 0;

  double each_ns() const { return elapsed_ns / iterations; }
};

Timed timed(const Experiment& e, Side side, std::uint64_t iterations) {
  session::SessionOptions options = side_options(e, side, {.device = {}, .iterations = iterations, .assignments = {}});
  options.memory_cap_bytes = std::size_t{64} << 20;
  experiment::MeasuredRun run(std::move(options));
  run.run();
  const analysis::RunFigures figures = run.figures();
  return {run.measured(), static_cast<double>(figures.elapsed_ns), static_cast<double>(figures.iterations)};
}

class PaceOfEveryExperiment : public testing::TestWithParam<std::size_t> {};

TEST_P(PaceOfEveryExperiment, IsTimedAsAStopwatchDoes) {
  const Experiment& e = experiment::experiments()[GetParam()];
  constexpr std::uint64_t kEnough = 100;
  const std::uint64_t iterations = std::min<std::uint64_t>(e.iterations, kEnough);
  std::array<Timed, 2> sides{timed(e, Side::Before, iterations), timed(e, Side::After, iterations)};
  for (const Timed& side : sides) {
    const analysis::Pace& pace = side.measured.summary.pace;
    EXPECT_EQ(pace.basis, analysis::PaceBasis::Elapsed) << e.id;
    EXPECT_NEAR(pace.ns / side.each_ns(), 1, 0.01) << e.id;
    EXPECT_EQ(static_cast<double>(pace.iterations), side.iterations) << e.id;
    const auto figure = [&](const char* key) { return figure_value(key, side.measured, iterations).value_or(0); };
    EXPECT_NEAR(figure("iteration_us") * 1e3 / side.each_ns(), 1, 0.01) << e.id;
    EXPECT_NEAR(figure("iteration_ms") * 1e6 / side.each_ns(), 1, 0.01) << e.id;
    EXPECT_NEAR(figure("total_s") * 1e9 / side.elapsed_ns, 1, 0.01) << e.id;
    EXPECT_NEAR(figure("iterations_per_s") * side.each_ns() / 1e9, 1, 0.01) << e.id;
    if (side.measured.batch_size > 0 && computes(side.measured.summary)) {
      EXPECT_NEAR(figure("samples_per_s") * side.each_ns() / 1e9, side.measured.batch_size,
                  0.01 * side.measured.batch_size)
          << e.id;
    }
  }
  const double by_elapsed = sides[0].each_ns() / sides[1].each_ns();
  const double factor =
      analysis::gain_between(sides[0].measured.summary.pace, 0, sides[1].measured.summary.pace, 0).factor;
  EXPECT_NEAR(factor / by_elapsed, 1, 0.02) << e.id;
  // What is published of both sides together is of time: its factor is the same.
  for (const experiment::Compared& c : compare(e, &sides[0].measured, &sides[1].measured)) {
    const bool of_time = c.published->figure == "total_s" || c.published->figure.starts_with("iteration_");
    if (c.published->of != experiment::About::Ratio || !of_time || !c.ours) continue;
    const double wanted = c.published->unit == "%" ? 100 * by_elapsed : by_elapsed;
    EXPECT_NEAR(*c.ours / wanted, 1, 0.02) << e.id << " " << c.published->name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PaceOfEveryExperiment, testing::Range<std::size_t>(0, experiment::experiments().size()),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name(experiment::experiments()[which.param].id);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The four that were once based on CPU iterations: 14.95x, 6.66x, 11.05x and 1.98x. What remains in each iteration is
// the model: 0.5 ms on the GPU, in P21 three times.
TEST(Pace, TheFactorsThatTheFillingQueueMade) {
  const auto gain = [](const char* id) {
    const Experiment& e = experiment::experiment_named(id);
    const Timed before = timed(e, Side::Before, e.iterations), after = timed(e, Side::After, e.iterations);
    EXPECT_FALSE(after.measured.summary.pace.queue_is_steady()) << id;
    EXPECT_LT(after.measured.summary.iteration.mean_ns, 0.95 * after.each_ns()) << id << ": the CPU only issues";
    return gain_between(before.measured, after.measured).factor;
  };
  EXPECT_NEAR(gain("P01"), 1.25, 0.02);
  EXPECT_NEAR(gain("P02"), 1.08, 0.02);
  EXPECT_NEAR(gain("P21"), 1.08, 0.02);
  EXPECT_NEAR(gain("S0-plot"), 6.0, 0.1);
}

}  // namespace
}  // namespace lanescope::proof
