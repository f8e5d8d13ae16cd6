// Published numbers beside ours.
#include "experiment/published_numbers.h"

#include <gtest/gtest.h>

namespace lanescope::experiment {
namespace {

Measured iterations_of(double mean_ns) {
  Measured m;
  m.summary.to_ns = m.summary.judged.to_ns = static_cast<base::Nanoseconds>(mean_ns * 10);
  m.summary.iteration.count = 10;
  m.summary.iteration.mean_ns = mean_ns;
  m.summary.pace = {analysis::PaceBasis::Elapsed, mean_ns, 10, 0, m.summary.to_ns, 0};
  m.figures = {{"read_us", "reading", "µs", 1, 500, 500, 500}};
  return m;
}

Published compared_number(double value, const char* unit, About of, const char* figure, std::uint64_t iterations = 0) {
  Published p;
  p.value = value;
  p.unit = unit;
  p.of = of;
  p.figure = figure;
  p.iterations = iterations;
  return p;
}

// Before: 200 us per iteration, after: 50 us.
TEST(Compare, PutsOursInThePublishedUnit) {
  Experiment told;
  told.published = {
      compared_number(0.4, "ms", About::Before, "iteration_us"), compared_number(1, "s", About::After, "total_s", 1000),
      compared_number(2, "x", About::Ratio, "iteration_us"),     compared_number(1, "ms", About::After, "own.read_us"),
      compared_number(1, "GB/s", About::After, "own.read_us"),   compared_number(7, "s", About::Before, ""),
      compared_number(0, "us", About::Before, "iteration_us")};
  told.published.push_back(told.published[0]);
  told.published.back().settings = {"log_interval=2"};
  const Measured before = iterations_of(200'000), after = iterations_of(50'000);
  const std::vector<Compared> all = compare(told, &before, &after);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_DOUBLE_EQ(all[0].ours.value(), 0.2);
  EXPECT_DOUBLE_EQ(all[0].ratio.value(), 0.5);
  EXPECT_DOUBLE_EQ(all[1].ours.value(), 0.05);
  EXPECT_DOUBLE_EQ(all[2].ours.value(), 4);
  EXPECT_DOUBLE_EQ(all[2].ratio.value(), 2);
  EXPECT_DOUBLE_EQ(all[3].ours.value(), 0.5);
  EXPECT_FALSE(all[4].ours) << "a time is no rate";
  EXPECT_FALSE(all[5].ours) << "nothing to set beside it";
  EXPECT_DOUBLE_EQ(all[6].ours.value(), 200);
  EXPECT_FALSE(all[6].ratio) << "to zero there is none";
  EXPECT_FALSE(all[7].ours) << "it has settings of its own";

  const std::vector<Compared> one = compare(told, nullptr, &after);
  EXPECT_FALSE(one[0].ours);
  EXPECT_TRUE(one[1].ours);
  EXPECT_FALSE(one[2].ours);
}

TEST(PublishedRuns, RunsWhatANumberIsAboutWithItsSettings) {
  Experiment told;
  told.workload = "linear-mse";
  told.device = "sim:rtx4090";
  told.iterations = 20;
  told.sides[0].settings = {"log_interval=1"};
  told.published = {compared_number(1, "x", About::Before, "syncs_per_iteration"),
                    compared_number(1, "x", About::Ratio, "launches_per_iteration")};
  for (Published& p : told.published) p.settings = {"log_interval=5"};
  PublishedRuns runs(told, {});
  // Four reads in 20 iterations, and the synchronisation that ends the run.
  EXPECT_DOUBLE_EQ(runs.compare(told.published[0]).ours.value(), 0.25);
  EXPECT_DOUBLE_EQ(runs.compare(told.published[1]).ours.value(), 1);
  EXPECT_FALSE(PublishedRuns(told, {}).compare(told.published[0], {}, [] { return true; }).ours);
  EXPECT_TRUE(is_simulated(told, told.published[0], {}));
}

}  // namespace
}  // namespace lanescope::experiment
