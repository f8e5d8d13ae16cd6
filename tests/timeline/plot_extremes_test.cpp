// No spike is lost: at any zoom, while records are added, change at the end, and are thinned out.
#include "timeline/plot_set.h"

#include <gtest/gtest.h>

#include <random>

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
using base::Nanoseconds;

constexpr Nanoseconds kAllKnown = Nanoseconds{1} << 60;

IterationRecord after(const IterationRecord* before, Nanoseconds duration) {
  IterationRecord r = before ? *before : IterationRecord{};
  r.start_ns = r.end_ns;
  r.end_ns += duration;
  ++r.number;
  r.iterations_ns += duration;
  r.shortest_ns = r.longest_ns = duration;
  return r;
}

std::vector<IterationRecord> steady(std::size_t count, std::size_t spike) {
  std::vector<IterationRecord> records;
  for (std::size_t i = 0; i < count; ++i)
    records.push_back(after(i > 0 ? &records.back() : nullptr, i == spike ? 5000 : 100));
  return records;
}

float most(const PlotSet& plots, PlotKind kind) {
  float result = 0;
  for (const PlotColumn& c : plots.columns(kind)) result = std::max(result, c.max);
  return result;
}

// One iteration of 5 µs among 300,000 of 100 ns. Its columns show 5,000 ns and 1e9 / 5000 = 200,000 per second, however
// many others they hold; all 300,000 take 30 ms.
TEST(PlotExtremes, ASpikeAmong300000IsSeenAtEveryZoom) {
  const std::vector<IterationRecord> records = steady(300'000, 123'456);
  const Nanoseconds at = records[123'456].end_ns;
  PlotSet plots;
  for (double ns_per_pixel = 5; ns_per_pixel < 1e6; ns_per_pixel *= 3) {
    const TimeAxis axis = TimeAxis(0, ns_per_pixel, 0, 300).anchored(at, 100);
    plots.prepare(records, axis, kAllKnown, {{PlotKind::IterationTime, PlotKind::IterationsPerSecond}, 7});
    EXPECT_EQ(most(plots, PlotKind::IterationTime), 5000) << ns_per_pixel;
    EXPECT_EQ(plots.range(PlotKind::IterationsPerSecond).first, 200'000) << ns_per_pixel;
    EXPECT_TRUE(plots.columns(PlotKind::Loss).empty());
  }
  // 100 columns over everything: the spike's column has 3,000 iterations and almost the same mean.
  plots.prepare(records, TimeAxis(0, 300'050, 0, 100), kAllKnown, {{PlotKind::IterationTime}, 7});
  EXPECT_NEAR(plots.columns(PlotKind::IterationTime)[41].mean, 101.6f, 0.1f);
  EXPECT_EQ(plots.columns(PlotKind::IterationTime)[41].max, 5000);
  EXPECT_EQ(plots.columns(PlotKind::IterationTime)[40].max, 100);
}

TEST(BlockTree, IsWhatItsItemsAre) {
  std::mt19937 random(3);
  BlockTree<Extremes> tree;
  std::vector<float> items;
  const auto upto = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    for (std::size_t n = upto(90); n > 0; --n) {
      items.push_back(static_cast<float>(upto(1'000'000)));
      Extremes one;
      one.take(items.back());
      tree.push(one);
    }
    if (round % 7 == 0) {
      items.resize(upto(items.size()));
      tree.truncate(items.size());
    }
    ASSERT_EQ(tree.size(), items.size());
    const std::size_t begin = upto(items.size());
    const std::size_t end = begin + upto(items.size() - begin);
    Extremes expected;
    for (std::size_t i = begin; i < end; ++i) expected.take(items[i]);
    const Extremes found = tree.over(begin, end);
    ASSERT_EQ(found.min, expected.min);
    ASSERT_EQ(found.max, expected.max);
  }
}

// In every round some records are added, the newest change (like gaps and run-ahead), and sometimes every second one of
// the older half is dropped, as in LiveAnalysis. What a record then covers is known from before.
TEST(PlotExtremes, KeepsWhatItSawWhenRecordsChangeAndAreDropped) {
  std::mt19937 random(11);
  const auto upto = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  std::vector<IterationRecord> records;
  std::vector<float> values;  // of each iteration ever: its run-ahead maximum, by number - 1
  std::vector<float> losses;
  PlotExtremes extremes;
  const PlotKinds kinds{PlotKind::RunAheadMax, PlotKind::Loss};
  std::size_t dropped = 0;
  for (int round = 0; round < 400; ++round) {
    for (std::int64_t n = upto(40); n > 0; --n) {
      records.push_back(after(records.empty() ? nullptr : &records.back(), 100));
      records.back().run_ahead_max = upto(1000);
      records.back().loss = static_cast<double>(upto(1000));
      values.push_back(static_cast<float>(records.back().run_ahead_max));
      losses.push_back(static_cast<float>(records.back().loss));
    }
    const std::size_t tail = std::min<std::size_t>(records.size(), static_cast<std::size_t>(upto(20)));
    for (std::size_t i = records.size() - tail; i < records.size() && round % 3 == 0; ++i) {
      records[i].run_ahead_max += 1 + upto(50);
      values[static_cast<std::size_t>(records[i].number) - 1] = static_cast<float>(records[i].run_ahead_max);
    }
    if (round % 25 == 24) {
      // Seen, and then dropped, while the newest one changes once more.
      extremes.sync(records, kinds, 1);
      records.back().run_ahead_max += 1000;
      values.back() += 1000;
      const std::size_t half = records.size() / 4 * 2;
      for (std::size_t i = 1; i < half; i += 2) records[i / 2] = records[i];
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(half / 2),
                    records.begin() + static_cast<std::ptrdiff_t>(half));
      dropped += half / 2;
    }
    extremes.sync(records, kinds, 1);
    if (records.size() < 3) continue;
    for (int question = 0; question < 5; ++question) {
      const auto last = static_cast<std::int64_t>(records.size());
      const auto begin = static_cast<std::size_t>(1 + upto(last - 2));
      const auto end = begin + 1 + static_cast<std::size_t>(upto(last - static_cast<std::int64_t>(begin) - 1));
      Extremes run_ahead, loss;
      for (auto i = static_cast<std::size_t>(records[begin - 1].number);
           i < static_cast<std::size_t>(records[end - 1].number); ++i) {
        run_ahead.take(values[i]);
        loss.take(losses[i]);
      }
      EXPECT_EQ(extremes.over(PlotKind::RunAheadMax, begin, end).max, run_ahead.max) << round;
      EXPECT_EQ(extremes.over(PlotKind::Loss, begin, end).max, loss.max) << round;
      EXPECT_EQ(extremes.over(PlotKind::Loss, begin, end).min, loss.min) << round;
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
  EXPECT_GT(dropped, 500u);
}

TEST(PlotExtremes, AnotherRunIsReadAnew) {
  PlotExtremes extremes;
  extremes.sync(steady(100, 50), {PlotKind::IterationTime}, 1);
  EXPECT_EQ(extremes.over(PlotKind::IterationTime, 1, 100).max, 5000);
  extremes.sync(steady(100, 1000), {PlotKind::IterationTime}, 2);
  EXPECT_EQ(extremes.over(PlotKind::IterationTime, 1, 100).max, 100);
  // A plot that is added later starts with everything there is.
  extremes.sync(steady(100, 1000), {PlotKind::IterationsPerSecond}, 2);
  EXPECT_EQ(extremes.over(PlotKind::IterationsPerSecond, 1, 100).max, 1e7f);
}

// A file with more iterations than records: the records themselves know their longest iteration.
TEST(PlotExtremes, RecordsThatStandForManyKnowTheirLongest) {
  IterationRecord before = after(nullptr, 100);
  IterationRecord many = before;
  many.number += 4;
  many.start_ns = 5000;
  many.end_ns = 5300;
  many.iterations_ns += 5200;
  many.shortest_ns = 50;
  many.longest_ns = 5000;
  EXPECT_EQ(plot_extremes(PlotKind::IterationTime, before, many).max, 5000);
  EXPECT_EQ(plot_extremes(PlotKind::IterationTime, before, many).min, 50);
  EXPECT_EQ(plot_extremes(PlotKind::IterationsPerSecond, before, many).min, 200'000);
  EXPECT_EQ(plot_extremes(PlotKind::IterationsPerSecond, before, many).max, 2e7f);
}

}  // namespace
}  // namespace lanescope::ui
