#include "timeline/plot_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
using base::Nanoseconds;

constexpr Nanoseconds kSetAllKnown = Nanoseconds{1} << 60;

class Iterations {
 public:
  explicit Iterations(std::uint64_t seed = 1) : random_(seed) {}

  void iterate(Nanoseconds start, Nanoseconds end) {
    IterationRecord r = records.empty() ? IterationRecord{} : records.back();
    r.start_ns = start;
    r.end_ns = end;
    ++r.number;
    r.busy_ns += upto(end - start);
    r.wait_ns += upto(end - start);
    r.h2d_bytes += upto(100'000);
    r.h2d_ns += upto(3) == 0 ? 0 : upto(end - start);
    r.d2h_bytes += 4;
    r.d2h_ns += 2;
    r.loss = static_cast<double>(upto(1000)) / 1000;
    r.iterations_ns += end - start;
    r.loader_wait_ns += upto(end - start);
    r.sync_count += upto(2);
    r.run_ahead_max = upto(9);
    r.run_ahead_ns += upto(5 * (end - start));
    for (auto& idle : r.bubble_ns) idle += upto(end - start);
    r.shortest_ns = r.longest_ns = end - start;
    records.push_back(r);
  }
  Nanoseconds upto(Nanoseconds most) { return std::uniform_int_distribution<Nanoseconds>(0, most)(random_); }

  std::vector<IterationRecord> records;

 private:
  std::mt19937_64 random_;
};

// From the end of one iteration to the end of the fifth after it: 1 ms, 0.4 ms busy, 0.25 ms waiting, 600 kB in 0.2 ms.
TEST(PlotValue, IsTheRiseOverTheTime) {
  IterationRecord before;
  before.number = 10;
  before.end_ns = 5'000'000;
  before.h2d_bytes = 1000;
  IterationRecord last = before;
  last.number = 15;
  last.end_ns = 6'000'000;
  last.busy_ns = 400'000;
  last.wait_ns = 250'000;
  last.h2d_bytes = 601'000;
  last.h2d_ns = 200'000;
  last.loss = 0.75;
  last.iterations_ns = 900'000;
  last.sync_count = 10;
  last.run_ahead_ns = 3'500'000;
  last.run_ahead_max = 7;
  last.loader_wait_ns = 50'000;
  last.bubble_ns[static_cast<std::size_t>(analysis::BubbleCause::AfterSync)] = 100'000;
  last.bubble_ns[static_cast<std::size_t>(analysis::BubbleCause::Cpu)] = 150'000;  // these two are one plot
  last.bubble_ns[static_cast<std::size_t>(analysis::BubbleCause::LaunchLatency)] = 50'000;
  last.bubble_ns[static_cast<std::size_t>(analysis::BubbleCause::Loader)] = 300'000;
  const std::pair<PlotKind, double> expected[] = {{PlotKind::IterationsPerSecond, 5000},
                                                  {PlotKind::GpuBusy, 40},
                                                  {PlotKind::CpuWaiting, 25},
                                                  {PlotKind::H2D, 3},
                                                  {PlotKind::D2H, 0},
                                                  {PlotKind::Loss, 0.75},
                                                  {PlotKind::IterationTime, 180'000},
                                                  {PlotKind::Syncs, 2},
                                                  {PlotKind::RunAhead, 3.5},
                                                  {PlotKind::RunAheadMax, 7},
                                                  {PlotKind::DataWaiting, 5},
                                                  {PlotKind::IdleAfterSync, 10},
                                                  {PlotKind::IdleLaunch, 20},
                                                  {PlotKind::IdleCopy, 0},
                                                  {PlotKind::IdleLoader, 30}};
  for (const auto& [kind, value] : expected) EXPECT_DOUBLE_EQ(plot_value(kind, before, last), value) << int(kind);
  EXPECT_TRUE(std::isnan(plot_value(PlotKind::GpuBusy, last, last)));
}

// The reference: looks at every record for every column, to find the iterations that end in it, or the one that covers
// it.
PlotColumn expected_column(const std::vector<IterationRecord>& records, PlotKind kind, Nanoseconds from, Nanoseconds to,
                           Nanoseconds live_edge, std::size_t& iterations) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const PlotColumn none{kNaN, kNaN, kNaN};
  iterations = 0;
  if (from >= live_edge) return none;
  std::vector<std::size_t> ending;
  std::size_t covering = records.size();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].end_ns < from) continue;
    if (covering == records.size()) covering = i;
    if (records[i].end_ns < to) ending.push_back(i);
  }
  if (ending.empty()) {
    if (covering == records.size() || records[covering].start_ns >= to) return none;
    ending.push_back(covering);
  } else if (records[covering].start_ns >= to) {
    return none;
  }
  // The first iteration of all only serves as the reference for the others.
  if (ending.front() == 0) {
    ending.erase(ending.begin());
    if (ending.empty()) {
      if (records.size() < 2 || records[1].start_ns >= to) return none;
      ending.push_back(1);
    }
  }
  iterations = ending.size();
  PlotColumn column;
  column.mean = static_cast<float>(plot_value(kind, records[ending.front() - 1], records[ending.back()]));
  column.min = column.max = column.mean;
  for (const std::size_t i : ending) {
    const auto value = static_cast<float>(plot_value(kind, records[i - 1], records[i]));
    column.min = std::min(column.min, value);
    column.max = std::max(column.max, value);
  }
  if (kind == PlotKind::RunAheadMax) column.mean = column.max;
  return column;
}

void expect_same(float a, float b, const std::string& where) {
  if (std::isnan(b)) {
    EXPECT_TRUE(std::isnan(a)) << where << ": " << a;
  } else {
    EXPECT_NEAR(a, b, std::abs(b) * 1e-6f) << where;
  }
}

TEST(PlotSet, ColumnsAreWhatTheirIterationsComeTo) {
  std::size_t filled = 0;
  std::size_t crowded = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Iterations run(seed);
    Nanoseconds now = run.upto(1000);
    const bool gaps = run.upto(1) == 1;
    for (int i = 0; i < 300; ++i) {
      const Nanoseconds end = now + 1 + run.upto(1000);
      run.iterate(now, end);
      now = end + (gaps && run.upto(9) == 0 ? run.upto(5000) : 0);
    }
    for (const double ns_per_pixel : {20.0, 300.0, 900.0, 7000.0}) {
      const TimeAxis axis(run.upto(now / 2) - 2000, ns_per_pixel, 50, 400);
      const Nanoseconds edge = run.upto(1) == 1 ? kSetAllKnown : now / 2;
      PlotSet plots;
      plots.prepare(run.records, axis, edge);
      for (std::size_t k = 0; k < kPlotKinds; ++k) {
        const auto kind = static_cast<PlotKind>(k);
        const auto& columns = plots.columns(kind);
        ASSERT_EQ(columns.size(), 400u);
        for (std::size_t x = 0; x < columns.size(); ++x) {
          const Nanoseconds from = axis.to_ns(50 + static_cast<float>(x));
          const Nanoseconds to = axis.to_ns(51 + static_cast<float>(x));
          std::size_t iterations = 0;
          PlotColumn expected = expected_column(run.records, kind, from, to, edge, iterations);
          const std::string where = "seed " + std::to_string(seed) + ", kind " + std::to_string(k) + ", column " +
                                    std::to_string(x) + " of " + std::to_string(ns_per_pixel);
          expect_same(columns[x].mean, expected.mean, where);
          filled += std::isnan(expected.mean) ? 0 : 1;
          crowded += iterations > 12 ? 1 : 0;
          expect_same(columns[x].min, expected.min, where + " (least)");
          expect_same(columns[x].max, expected.max, where + " (most)");
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
  EXPECT_GT(filled, 10'000u);
  EXPECT_GT(crowded, 100u);
}

TEST(PlotSet, WithoutIterationsThereIsNothing) {
  PlotSet plots;
  plots.prepare({}, TimeAxis(0, 10, 0, 50), kSetAllKnown);
  for (const PlotColumn& c : plots.columns(PlotKind::GpuBusy)) EXPECT_TRUE(std::isnan(c.mean));
  EXPECT_EQ(plots.range(PlotKind::GpuBusy), (std::pair{0.0f, 0.0f}));
}

// Iterations of 100 ns at 10 ns per pixel: each covers ten columns, all of them with the same value.
TEST(PlotSet, ALongIterationFillsItsColumns) {
  Iterations run;
  for (Nanoseconds t = 0; t < 1000; t += 100) run.iterate(t, t + 100);
  PlotSet plots;
  plots.prepare(run.records, TimeAxis(0, 10, 0, 120), kSetAllKnown);
  const auto& columns = plots.columns(PlotKind::IterationsPerSecond);
  for (std::size_t x = 12; x < 99; ++x) EXPECT_FLOAT_EQ(columns[x].mean, 1e7f) << x;
  for (std::size_t x = 101; x < 120; ++x) EXPECT_TRUE(std::isnan(columns[x].mean)) << x;
  EXPECT_EQ(plots.range(PlotKind::IterationsPerSecond), (std::pair{1e7f, 1e7f}));
}

// Two ranks: eight iterations of 100 ns, and five of 200. A column in which both are known has the mean of 10 and 5
// million per second; the last 200 ns are those of the second alone.
TEST(PlotSet, OfSeveralGpusAPlotIsTheMean) {
  Iterations fast, slow;
  for (Nanoseconds t = 0; t < 800; t += 100) fast.iterate(t, t + 100);
  for (Nanoseconds t = 0; t < 1000; t += 200) slow.iterate(t, t + 200);
  std::vector<PlotSet> of_gpus(2);
  of_gpus[0].prepare(fast.records, TimeAxis(0, 10, 0, 120), kSetAllKnown);
  of_gpus[1].prepare(slow.records, TimeAxis(0, 10, 0, 120), kSetAllKnown);
  const std::vector<PlotColumn> means = mean_columns(of_gpus, PlotKind::IterationsPerSecond);
  ASSERT_EQ(means.size(), 120u);
  for (std::size_t x = 22; x < 79; ++x) {
    EXPECT_FLOAT_EQ(means[x].mean, 7.5e6f) << x;
    EXPECT_FLOAT_EQ(means[x].min, 5e6f) << x;
    EXPECT_FLOAT_EQ(means[x].max, 1e7f) << x;
  }
  for (std::size_t x = 82; x < 99; ++x) EXPECT_FLOAT_EQ(means[x].mean, 5e6f) << x;
  for (std::size_t x = 102; x < 120; ++x) EXPECT_TRUE(std::isnan(means[x].mean)) << x;
  EXPECT_TRUE(mean_columns({}, PlotKind::IterationsPerSecond).empty());
}

TEST(PlotSet, TheRangeIsOfWhatIsInView) {
  Iterations run;
  for (Nanoseconds t = 0; t < 1000; t += 100) run.iterate(t, t + 100);
  run.records[3].loss = 9;   // ends at 400
  run.records[7].loss = -1;  // ends at 800
  PlotSet plots;
  plots.prepare(run.records, TimeAxis(0, 10, 0, 100), kSetAllKnown);
  EXPECT_EQ(plots.range(PlotKind::Loss), (std::pair{-1.0f, 9.0f}));
  plots.prepare(run.records, TimeAxis(450, 10, 0, 20), kSetAllKnown);
  EXPECT_LT(plots.range(PlotKind::Loss).second, 2);
  EXPECT_GE(plots.range(PlotKind::Loss).first, 0);
}

// What has not changed is not computed again; what becomes known late is.
TEST(PlotSet, FollowsARecordThatChangesLate) {
  Iterations run(3);
  Nanoseconds now = 0;
  for (int i = 0; i < 100; ++i, now += 50) run.iterate(now, now + 50);
  const TimeAxis axis(0, 10, 0, 500);
  PlotSet plots;
  plots.prepare(run.records, axis, kSetAllKnown);
  const float before = plots.columns(PlotKind::Loss)[497].mean;
  plots.prepare(run.records, axis, kSetAllKnown);
  const float same = plots.columns(PlotKind::Loss)[497].mean;
  expect_same(same, before, "nothing has changed");
  run.records.back().loss = 12345;
  plots.prepare(run.records, axis, kSetAllKnown);
  EXPECT_EQ(plots.columns(PlotKind::Loss)[497].mean, 12345);
  plots.prepare(run.records, axis.panned(-100), kSetAllKnown);
  EXPECT_EQ(plots.columns(PlotKind::Loss)[397].mean, 12345);
}

}  // namespace
}  // namespace lanescope::ui
