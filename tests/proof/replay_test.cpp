// What a replay says of a run without its reads is what the run without its reads does: the simulator is the truth.
#include "analysis/replay.h"

#include <gtest/gtest.h>

#include "experiment/measured_run.h"

namespace lanescope::proof {
namespace {

struct Ran {
  analysis::WithoutWait answer;
  double each_ns = 0;
};

Ran ran(const std::string& workload, std::vector<std::string> settings, const std::string& log_interval) {
  settings.push_back("log_interval=" + log_interval);
  session::SessionOptions options;
  options.workload = workload;
  options.device = "sim:rtx4090";
  options.assignments = settings;
  options.iterations = 300;
  options.memory_cap_bytes = std::size_t{64} << 20;
  experiment::MeasuredRun run(std::move(options));
  run.run();
  const analysis::RunFigures figures = run.figures();
  const auto records = run.analysis().records();
  const analysis::Replay replay(run.trace(), records[50].start_ns, records.back().end_ns);
  return {replay.without(run.trace().names().find("item()")),
          static_cast<double>(figures.elapsed_ns) / static_cast<double>(figures.iterations)};
}

struct Loop {
  std::string name, workload;
  std::vector<std::string> settings;
};

class ReplayOfReads : public testing::TestWithParam<Loop> {};

// A run without reads has neither their waits nor their calls nor their copies: the range ends there.
TEST_P(ReplayOfReads, AgreesWithTheRunWithoutThem) {
  const Ran with = ran(GetParam().workload, GetParam().settings, "1");
  const Ran without = ran(GetParam().workload, GetParam().settings, "0");
  ASSERT_EQ(with.answer.refusal, "");
  EXPECT_NEAR(with.answer.replayed_ns / with.answer.recorded_ns, 1, 0.02);
  const double truth = with.each_ns / without.each_ns;
  RecordProperty("truth", std::to_string(truth));
  EXPECT_LE(with.answer.least_factor, truth * 1.01);
  EXPECT_GE(with.answer.most_factor, truth * 0.99);
  EXPECT_LE(with.answer.most_factor / with.answer.least_factor, 1.35) << "a range that says nothing is none";
}

INSTANTIATE_TEST_SUITE_P(Loops, ReplayOfReads,
                         testing::Values(Loop{"LinearSmall", "linear-mse", {}},
                                         Loop{"LinearLarge", "linear-mse", {"batch_size=8192"}},
                                         Loop{"LinearFed", "linear-mse", {"feed=per-iteration"}},
                                         Loop{"Iris", "iris-mlp", {}}),
                         [](const auto& loop) { return loop.param.name; });

}  // namespace
}  // namespace lanescope::proof
