#include "inspect/range_statistics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "analysis/trace_builder.h"
#include "inspect/range_figures.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::DoubleEq;
using testing::ElementsAre;
using trace::EventKind;
using trace::LaneKind;
constexpr Nanoseconds kRangeForever = Nanoseconds{1} << 60;

class RangeStatisticsTest : public testing::Test {
 protected:
  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  TraceBuilder build{trace};
};

// 100 kernels of 10, 20, ... 1000 ns: sum 10 * 5050 = 50,500; mean 505. Nearest rank: the ceil(0.5 * 100) = 50th is
// 500, the ceil(0.99 * 100) = 99th is 990. Of three (100, 200, 600): the ceil(1.5) = 2nd is 200, the ceil(2.97) = 3rd
// is 600.
TEST_F(RangeStatisticsTest, CountSumMeanAndPercentilesByHand) {
  for (int i = 1; i <= 100; ++i) build.kernel(i * 2000, i * 2000 + 10 * ((i * 37) % 101));  // 37 i mod 101: 1 to 100
  for (const int d : {600, 100, 200}) build.call("cudaMalloc", 300'000 + d * 10, 300'000 + d * 11);
  build.publish();
  const RangeStatistics s = range_statistics(trace, 0, kRangeForever, {});
  ASSERT_EQ(s.names.size(), 2u);
  EXPECT_EQ(trace.names().text(s.names[0].name), "kernel") << "the largest sum first";
  EXPECT_EQ(s.names[0].sum_ns, 50'500);
  const analysis::DurationStats& d = s.names[0].durations;
  EXPECT_EQ(std::tuple(d.count, d.p50_ns, d.p99_ns, d.min_ns, d.max_ns), std::tuple(100, 500, 990, 10, 1000));
  EXPECT_DOUBLE_EQ(d.mean_ns, 505);
  const analysis::DurationStats& three = s.names[1].durations;
  EXPECT_EQ(std::tuple(three.count, three.p50_ns, three.p99_ns, three.min_ns, three.max_ns),
            std::tuple(3, 200, 600, 100, 600));
  EXPECT_EQ(s.sum_ns, 51'400);
  EXPECT_EQ(s.all.count, 103);
  EXPECT_TRUE(s.exact);
}

TEST_F(RangeStatisticsTest, OfEventsThatStartInTheRangeOnTheLanesThatAreSelected) {
  build.kernel(100, 200);
  build.kernel(200, 1000);
  build.kernel(1000, 1100);
  build.call("f", 150, 250);
  build.loss(300, 1.5);  // a sample is no interval
  build.publish();
  EXPECT_EQ(range_statistics(trace, 200, 1000, {}).all.count, 1) << "half-open";
  EXPECT_EQ(range_statistics(trace, 150, 1001, {}).all.count, 3);
  EXPECT_EQ(count_starting(trace, 150, 1001, {}), 3);
  const trace::LaneId calls = build.lane(LaneKind::Calls);
  const RangeStatistics s = range_statistics(trace, 0, kRangeForever, {calls});
  EXPECT_EQ(s.all.count, 1);
  EXPECT_EQ(s.sum_ns, 100);
  EXPECT_EQ(count_starting(trace, 0, kRangeForever, std::vector{calls}), 1);
}

// From 10 to 100,000 ns are four decades: in 20 steps 80 bins and one for 100,000 itself, in 10 steps 41.
TEST_F(RangeStatisticsTest, BinsGrowByAConstantFactorAndDecadesAreEdges) {
  const std::vector<double> edges = histogram_edges(10, 100'000);
  ASSERT_EQ(edges.size(), 42u);
  EXPECT_EQ(edges[0], 10);
  EXPECT_EQ(edges[10], 100);
  EXPECT_EQ(edges[40], 100'000);
  EXPECT_NEAR(edges[1], 12.589, 0.001);    // 10 ^ 1.1
  EXPECT_NEAR(edges[41], 125'892.5, 0.1);  // what is 100,000 long is below it
  EXPECT_EQ(histogram_edges(1, 1), (std::vector<double>{1, std::pow(10.0, 1.0 / 20)}));
  for (const auto& [least, most] : {std::pair<Nanoseconds, Nanoseconds>{1, 3'600'000'000'000}, {999, 1001}, {7, 7}}) {
    const std::vector<double> e = histogram_edges(least, most);
    EXPECT_LE(e.front(), static_cast<double>(least));
    EXPECT_GT(e.back(), static_cast<double>(most));
    EXPECT_LE(e.size(), 70u);
  }
}

// 10 and 11 lie in [10, 11.22), 99 in [89.1, 100), 100 in [100, 112.2): bins 0, 19 and 20 of 20 to a decade.
TEST_F(RangeStatisticsTest, ADurationOnAnEdgeIsInTheBinThatBeginsThere) {
  Nanoseconds at = 0;
  for (const int d : {10, 11, 99, 100, 0}) {
    at += 1000;
    build.kernel(at, at + d);
  }
  build.publish();
  const RangeStatistics s = range_statistics(trace, 0, kRangeForever, {});
  EXPECT_EQ(s.bin_of(10), 0u);
  EXPECT_EQ(s.bin_of(100), 20u);
  EXPECT_FALSE(s.bin_of(9) || s.bin_of(1000));
  EXPECT_EQ(s.counts.at(0), 2);
  EXPECT_EQ(s.counts.at(19), 1);
  EXPECT_EQ(s.counts.at(20), 1);
  EXPECT_EQ(s.instants, 1);
  EXPECT_EQ(std::accumulate(s.counts.begin(), s.counts.end(), std::int64_t{0}) + s.instants, s.all.count);
}

TEST_F(RangeStatisticsTest, TooManyToKeepAreToldWithinOnePercent) {
  Nanoseconds at = 0;
  for (int i = 1; i <= 5000; ++i) {
    build.kernel(at, at + 7 * i);
    at += 7 * i + 1;
  }
  build.publish();
  const RangeStatistics exact = range_statistics(trace, 0, kRangeForever, {});
  const RangeStatistics about = range_statistics(trace, 0, kRangeForever, {}, nullptr, 1000);
  EXPECT_FALSE(about.exact);
  for (const auto part : {&analysis::DurationStats::p50_ns, &analysis::DurationStats::p99_ns}) {
    EXPECT_NEAR(static_cast<double>(about.all.*part), static_cast<double>(exact.all.*part),
                0.01 * static_cast<double>(exact.all.*part));
  }
  EXPECT_EQ(about.all.max_ns, exact.all.max_ns);
  EXPECT_EQ(about.sum_ns, exact.sum_ns);
  EXPECT_EQ(about.edges, exact.edges);
  EXPECT_EQ(std::accumulate(about.counts.begin(), about.counts.end(), std::int64_t{0}), 5000);
}

TEST_F(RangeStatisticsTest, LinesAreSortedByAnyColumn) {
  build.call("a", 0, 10);
  build.call("b", 100, 105);
  build.call("b", 200, 203);
  build.call("c", 300, 310);
  build.publish();
  auto lines = range_statistics(trace, 0, kRangeForever, {}).names;
  const auto names = [&](StatisticsColumn by, bool ascending) {
    sort_statistics(lines, trace.names(), by, ascending);
    std::string text;
    for (const NameStatistics& line : lines) text += trace.names().text(line.name);
    return text;
  };
  EXPECT_EQ(names(StatisticsColumn::Sum, false), "acb") << "equal sums by name";
  EXPECT_EQ(names(StatisticsColumn::Sum, true), "bac");
  EXPECT_EQ(names(StatisticsColumn::Count, false), "bac");
  EXPECT_EQ(names(StatisticsColumn::Name, true), "cba");
  EXPECT_EQ(names(StatisticsColumn::Min, true), "bac");
}

// The figures of a stretch that extends beyond the live edge follow the run; a new stretch replaces the old one.
TEST_F(RangeStatisticsTest, FiguresFollowTheRangeAndTheRun) {
  for (int i = 0; i < 10; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  RangeFigures figures;
  RangeFigures::Clock::time_point now = RangeFigures::Clock::now();
  using Range = std::pair<Nanoseconds, Nanoseconds>;
  figures.update(shared, Range{0, 10'000}, {}, now);
  ASSERT_TRUE(figures.summary.has_value());
  EXPECT_EQ(figures.statistics.all.count, 10);
  build.kernel(5000, 5050);
  build.publish();
  figures.update(shared, Range{0, 10'000}, {}, now + std::chrono::milliseconds(20));
  EXPECT_EQ(figures.statistics.all.count, 10) << "not more often than one can read";
  figures.update(shared, Range{0, 10'000}, {}, now + std::chrono::milliseconds(120));
  EXPECT_EQ(figures.statistics.all.count, 11);
  figures.update(shared, Range{0, 300}, {}, now + std::chrono::milliseconds(121));
  EXPECT_EQ(figures.statistics.all.count, 3);
  EXPECT_EQ(figures.range, (Range{0, 300}));
  figures.update(shared, std::nullopt, {}, now);
  EXPECT_FALSE(figures.summary.has_value());
  EXPECT_FALSE(figures.busy());
}

TEST_F(RangeStatisticsTest, ManyEventsAreWorkedOutBesideTheDrawing) {
  for (int i = 0; i < 20'000; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  RangeFigures figures;
  const auto now = RangeFigures::Clock::now();
  const std::pair<Nanoseconds, Nanoseconds> range{0, 2'000'000};
  figures.update(shared, range, {}, now);
  EXPECT_TRUE(figures.busy());
  EXPECT_FALSE(figures.summary.has_value());
  while (!figures.summary) {
    figures.update(shared, range, {}, now);
    std::this_thread::yield();
  }
  EXPECT_EQ(figures.statistics.all.count, 20'000);
  EXPECT_EQ(figures.summary->gpu_op_count, 20'000);
  EXPECT_FALSE(figures.busy());
}

}  // namespace
}  // namespace lanescope::ui
