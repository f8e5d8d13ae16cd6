// Figures and units, calculated by hand.
#include "experiment/named_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "refusal.h"

namespace lanescope::experiment {
namespace {

// 4 iterations, each issued in 1 us, in a window of 500 us: the GPU took 125 us for each.
Measured loop() {
  Measured m;
  analysis::Summary& s = m.summary;
  s.from_ns = s.judged.from_ns = 1'000;
  s.judged.to_ns = 5'000;
  s.to_ns = 501'000;
  s.iteration.count = 4;
  s.iteration.mean_ns = 1'000;
  s.pace = {analysis::PaceBasis::Elapsed, 125'000, 4, 1'000, 501'000, 1};
  s.gpu_busy_ns = 250'000;
  s.kernel_ns = 200'000;
  s.host_wait_ns = 80'000;
  s.bubble_ns = 250'000;
  s.sync_count = 5;
  s.launch_count = 36;
  s.h2d_bytes = 40'000;
  s.h2d_ns = 20'000;
  m.batch_size = 32;
  m.figures = {{"read_us", "reading", "µs", 4, 9, 7, 28}, {"wrong", "wrong numbers", "", 0, 0, 0, 0}};
  return m;
}

TEST(Figures, AreWorkedOutFromTheSummary) {
  const std::vector<std::pair<const char*, std::optional<double>>> wanted{
      {"iteration_us", 125},      {"iteration_ms", 0.125},       {"iterations_per_s", 8'000},
      {"samples_per_s", 256'000}, {"syncs_per_iteration", 1.25}, {"launches_per_iteration", 9},
      {"gpu_busy_percent", 50},   {"kernel_percent", 40},        {"host_wait_us", 20},
      {"bubble_percent", 50},     {"h2d_gb_per_s", 2},           {"d2h_gb_per_s", std::nullopt},
      {"h2d_ms", 0.005},          {"d2h_ms", std::nullopt},      {"transfer_percent", 4},
      {"total_s", std::nullopt},  // the number of iterations is missing
      {"own.read_us", 7},         {"own.read_us.total", 28},     {"own.wrong", std::nullopt},
      {"own.none", std::nullopt},
  };
  for (const auto& [key, value] : wanted) {
    const std::optional<double> found = figure_value(key, loop());
    ASSERT_EQ(found.has_value(), value.has_value()) << key;
    EXPECT_DOUBLE_EQ(found.value_or(-1), value.value_or(-1)) << key;
  }
  EXPECT_EQ(standard_figures().size(), 16u);
}

// A whole run: 500 us / 4 for each of 1000. While the queue fills nothing is known, however long CPU iterations take.
TEST(Figures, TheTotalHoldsTheLastSynchronisationOfAWholeRun) {
  Measured m = loop();
  EXPECT_DOUBLE_EQ(figure_value("total_s", m, 1000).value(), 0.125);
  m.summary.pace = {analysis::PaceBasis::QueueMoves, 0, 4, 0, 0, 1};
  for (const char* figure : {"total_s", "iteration_us", "iteration_ms", "iterations_per_s", "samples_per_s"}) {
    EXPECT_FALSE(figure_value(figure, m, 1000).has_value()) << figure;
  }
  EXPECT_TRUE(figure_value("syncs_per_iteration", m).has_value());
}

TEST(Figures, SamplesNeedABatchSize) {
  Measured m = loop();
  m.batch_size = 0;
  EXPECT_FALSE(figure_value("samples_per_s", m).has_value());
}

TEST(Figures, WithoutAnIterationThereIsNothingToTell) {
  for (const FigureInfo& figure : standard_figures()) {
    EXPECT_FALSE(figure_value(figure.key, Measured{}, 10).has_value()) << figure.key;
  }
}

TEST(Figures, HaveLabelsAndUnits) {
  EXPECT_EQ(figure_info("total_s").unit, "s");
  EXPECT_EQ(figure_info("own.read_us", loop().figures).label, "reading");
  EXPECT_EQ(figure_info("own.read_us.total", loop().figures).unit, "µs");
  EXPECT_EQ(figure_info("own.read_us").unit, "");
  EXPECT_THROW(figure_info("own."), base::UsageError);
  EXPECT_THAT(refusal<base::UsageError>([] { figure_info("speed"); }),
              testing::HasSubstr("'speed' is unknown; allowed: iteration_us, "));
}

TEST(Units, AreTurnedIntoEachOther) {
  EXPECT_DOUBLE_EQ(convert(2.5, "ms", "us").value(), 2500);
  EXPECT_DOUBLE_EQ(convert(2.5, "µs", "s").value(), 2.5e-6);
  EXPECT_DOUBLE_EQ(convert(3, "GB/s", "MB/s").value(), 3000);
  EXPECT_DOUBLE_EQ(convert(2, "GiB", "MiB").value(), 2048);
  EXPECT_DOUBLE_EQ(convert(0.25, "fraction", "%").value(), 25);
  EXPECT_DOUBLE_EQ(convert(1.5, "x", "%").value(), 150);
  EXPECT_DOUBLE_EQ(convert(11, "", "syncs").value(), 11);
  EXPECT_FALSE(convert(1, "ms", "GB/s"));
  EXPECT_FALSE(convert(1, "syncs", "%"));
  EXPECT_FALSE(convert(1, "ms", "parsecs"));
  EXPECT_FALSE(is_unit(""));
}

}  // namespace
}  // namespace lanescope::experiment
