// What the plots need beside their curves: scales and ticks, the choice, the catalogue, the rows' places, the ghost.
#include <gmock/gmock.h>

#include <cmath>

#include "analysis/trace_builder.h"
#include "window/panels/plots/plot_rows.h"

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::FloatEq;
using testing::Pair;

TEST(PlotTicks, AreOneTwoFiveSteps) {
  EXPECT_THAT(plot_ticks(0, 3000, 4, false), ElementsAre(0, 1000, 2000, 3000));
  EXPECT_THAT(plot_ticks(0, 3000, 3, false), ElementsAre(0, 2000));
  EXPECT_THAT(plot_ticks(0, 100, 6, false), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(plot_ticks(-0.3, 0.4, 4, false),
              ElementsAre(DoubleNear(-0.2, 1e-9), 0, DoubleNear(0.2, 1e-9), DoubleNear(0.4, 1e-9)));
  EXPECT_THAT(plot_ticks(0, 0, 4, false), ElementsAre());
  EXPECT_THAT(plot_ticks(1, 1000, 5, true), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(plot_ticks(1, 1e8, 3, true), ElementsAre(1, 1e3, 1e6));
  // With room for 2 and 5 times a power of ten.
  EXPECT_THAT(plot_ticks(10, 100, 6, true), ElementsAre(10, 20, 50, 100));
  EXPECT_THAT(plot_ticks(200, 500, 3, true), ElementsAre(200, 500));
}

TEST(PlotTicks, NeverMoreThanAsked) {
  for (double high = 1e-9; high < 1e12; high *= 3.7) {
    for (std::size_t most = 2; most < 8; ++most) {
      for (const double low : {0.0, high * 0.9, -high, high / 1e5}) {
        const auto linear = plot_ticks(low, high, most, false);
        EXPECT_LE(linear.size(), most) << low << " to " << high;
        EXPECT_GE(linear.size(), 1u) << low << " to " << high;
        const auto [a, b] = round_range(low, high, false);
        EXPECT_LE(a, low + std::abs(low) * 1e-9);
        EXPECT_GE(b, high * (1 - 1e-9));
        if (low <= 0) continue;
        EXPECT_LE(plot_ticks(low, high, most, true).size(), most) << low << " to " << high;
      }
    }
  }
}

TEST(PlotScale, RangesAreRound) {
  EXPECT_THAT(round_range(0, 2512, false), Pair(0, 3000));
  EXPECT_THAT(round_range(0, 100, false), Pair(0, 100));
  EXPECT_THAT(round_range(340, 620, false), Pair(300, 700));
  EXPECT_THAT(round_range(5, 5, false), Pair(DoubleNear(5, 1e-6), DoubleNear(5.5, 1e-6)));
  EXPECT_THAT(round_range(0, 0, false), Pair(0, 1));
  EXPECT_THAT(round_range(130, 90'000, true), Pair(DoubleNear(100, 1e-6), DoubleNear(1e5, 1e-3)));
  EXPECT_THAT(round_range(100, 100, true), Pair(DoubleNear(20, 1e-6), DoubleNear(500, 1e-6)));
}

TEST(PlotScale, LogarithmicPositions) {
  EXPECT_DOUBLE_EQ(plot_position(100, 1, 10'000, true), 0.5);
  EXPECT_LT(plot_position(0, 1, 10'000, true), 0);
  const std::vector<PlotColumn> columns{{0, 10'000, 100}, {1, 1, 1}};
  const auto scaled = in_scale(columns, 1, 10'000, true);
  EXPECT_THAT(scaled[0].min, FloatEq(0));
  EXPECT_THAT(scaled[0].max, FloatEq(1));
  EXPECT_THAT(scaled[0].mean, FloatEq(0.5f));
  EXPECT_EQ(least_positive(columns), 1);
  EXPECT_FALSE(can_be_logarithmic(-1, 5));
  EXPECT_FALSE(can_be_logarithmic(0, 0));
}

// It grows in the frame in which it must; it shrinks after 0.8 s, bit by bit, and comes to rest.
TEST(ShownRange, GrowsAtOnceAndShrinksSlowly) {
  ShownRange range;
  range.update(0, 100, false, 0.016);
  EXPECT_EQ(range.high(), 100);
  range.update(0, 950, false, 0.016);
  EXPECT_EQ(range.high(), 1000);
  EXPECT_FALSE(range.moving());
  double before = 1000;
  for (int i = 0; i < 40; ++i) range.update(0, 100, false, 0.016);
  EXPECT_EQ(range.high(), 1000);
  EXPECT_TRUE(range.moving());
  for (int i = 0; i < 250; ++i) {
    range.update(0, 100, false, 0.016);
    EXPECT_LE(range.high(), before);
    EXPECT_GE(before - range.high(), 0);
    EXPECT_LT(before - range.high(), 60);
    before = range.high();
  }
  EXPECT_EQ(range.high(), 100);
  EXPECT_FALSE(range.moving());
  // Without animation there is the same patience, and one step.
  range.update(0, 1000, false, 0.016);
  for (int i = 0; i < 40; ++i) range.update(0, 100, false, 0.016, false);
  EXPECT_EQ(range.high(), 1000);
  for (int i = 0; i < 20; ++i) range.update(0, 100, false, 0.016, false);
  EXPECT_EQ(range.high(), 100);
  range.update(1, 100, true, 0.016);
  EXPECT_EQ(range.low(), 1);
}

std::vector<std::string> keys(const PlotChoice& choice) {
  std::vector<std::string> found;
  for (const ChosenPlot& plot : choice.plots()) found.push_back(plot.key);
  return found;
}

TEST(PlotChoice, IsWhatAPersonMakesOfIt) {
  PlotChoice choice;
  EXPECT_THAT(keys(choice), ElementsAre("rate", "gpu-busy", "cpu-waiting", "h2d", "d2h", "loss"));
  choice.remove("h2d");
  choice.remove("d2h");
  choice.add("time");
  choice.add("time");
  choice.move("loss", "rate");
  EXPECT_THAT(keys(choice), ElementsAre("loss", "rate", "gpu-busy", "cpu-waiting", "time"));
  choice.move("rate", "");
  choice.move("no such", "loss");
  EXPECT_THAT(keys(choice), ElementsAre("loss", "gpu-busy", "cpu-waiting", "time", "rate"));
  choice.divide("loss", "gpu-busy", 0.75f);
  EXPECT_FLOAT_EQ(choice.plots()[0].height, 1.5f);
  EXPECT_FLOAT_EQ(choice.plots()[1].height, 0.5f);
  choice.divide("loss", "gpu-busy", -3);
  EXPECT_FLOAT_EQ(choice.plots()[0].height, PlotChoice::kLeastHeight);
  PlotChoice again;
  again.set_texts(choice.texts());
  EXPECT_EQ(again, choice);
  again.set_texts({});
  EXPECT_EQ(again, PlotChoice());
  again.set_texts({"", "rate", "rate", "loss\tabc", "counter my queue\t2.00", "time\t1e9"});
  EXPECT_THAT(keys(again), ElementsAre("rate", "loss", "counter my queue", "time"));
  EXPECT_EQ(again.plots()[1].height, 1);
  EXPECT_EQ(again.plots()[2].height, 2);
  EXPECT_EQ(again.plots()[3].height, 1);
}

TEST(PlotCatalogue, HasEveryKindAndEveryCounter) {
  trace::Trace trace;
  analysis_test::TraceBuilder build(trace);
  build.lane(trace::LaneKind::Kernels);
  build.lane(trace::LaneKind::Counter, 0, "loss");
  build.lane(trace::LaneKind::Counter, 0, "queue");
  build.lane(trace::LaneKind::Counter, 1, "queue");
  const auto all = plot_catalogue(trace, true);
  ASSERT_EQ(all.size(), kPlotKinds + 2);
  PlotKinds kinds;
  for (const PlotInfo& info : all) {
    if (info.kind) kinds.add(*info.kind);
    EXPECT_TRUE(info.kind || info.lane) << info.key;
  }
  EXPECT_EQ(kinds, PlotKinds::all());
  EXPECT_EQ(all[kPlotKinds].key, "counter queue");
  EXPECT_EQ(all[kPlotKinds + 1].key, "counter queue 2");
  const PlotChoice standard;
  for (const ChosenPlot& plot : standard.plots()) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const PlotInfo& i) { return i.key == plot.key; })) << plot.key;
  }
  EXPECT_EQ(plot_catalogue(trace, false).size(), 3u);  // without iterations the loss is a counter as any other
}

TEST(PlotText, IsShortAndHasItsUnit) {
  EXPECT_EQ(plot_text(PlotUnit::Count, 2512.4), "2,512");
  EXPECT_EQ(plot_text(PlotUnit::Count, 2.5), "2.50");
  EXPECT_EQ(plot_text(PlotUnit::Duration, 397'200), "397.2 µs");
  EXPECT_EQ(plot_text(PlotUnit::Percent, 52.7), "53 %");
  EXPECT_EQ(plot_text(PlotUnit::GigabytesPerSecond, 12.3), "12.30");
  EXPECT_EQ(plot_text(PlotUnit::Plain, 0.3312), "0.3312");
  EXPECT_EQ(plot_text(PlotUnit::Plain, 123'456.7), "123,457");
  EXPECT_EQ(plot_text(PlotUnit::Plain, std::nan("")), "–");
  EXPECT_EQ(tick_text(PlotUnit::Count, 20'000), "20k");
  EXPECT_EQ(tick_text(PlotUnit::Count, 2000), "2,000");
  EXPECT_EQ(tick_text(PlotUnit::Percent, 50), "50 %");
  EXPECT_EQ(tick_text(PlotUnit::Duration, 200'000), "200 µs");
  EXPECT_EQ(tick_text(PlotUnit::Plain, 0.25), "0.25");
}

// 300 pixels for shares 1, 1 and 4: 50, 50 and 200. With at least 60, the large one gives: 60, 60, 180. Five rows of 60
// fit; of six the last one is left out.
TEST(PlotRows, HeightsFollowTheirShares) {
  EXPECT_THAT(row_heights({1, 1, 4}, 300, 20), ElementsAre(50, 50, 200));
  EXPECT_THAT(row_heights({1, 1, 4}, 300, 60), ElementsAre(60, 60, 180));
  EXPECT_THAT(row_heights({1, 1, 1, 1, 1, 1}, 300, 60), ElementsAre(60, 60, 60, 60, 60));
  EXPECT_THAT(row_heights({}, 300, 60), ElementsAre());
  EXPECT_THAT(row_heights({1}, 10, 60), ElementsAre());
}

TEST(PlotRows, EveryPartHasItsPlace) {
  PlotRows rows;
  rows.axis = TimeAxis(0, 10, 118, 900);
  for (int i = 0; i < 2; ++i) {
    PlotRow row;
    row.info.key = i == 0 ? "a" : "b";
    row.box = {0, 100.0f + 50 * static_cast<float>(i), 1018, 44};
    rows.rows.push_back(row);
  }
  EXPECT_EQ(grip_at(rows, 500, 120, 1).part, PlotPart::Curves);
  EXPECT_EQ(grip_at(rows, 50, 120, 1).part, PlotPart::Name);
  EXPECT_EQ(grip_at(rows, 108, 108, 1).part, PlotPart::Close);
  const PlotGrip divider = grip_at(rows, 500, 148, 1);
  EXPECT_EQ(divider.part, PlotPart::Divider);
  EXPECT_EQ(divider.key + divider.lower, "ab");
  EXPECT_EQ(grip_at(rows, 50, 160, 1).key, "b");
  EXPECT_EQ(grip_at(rows, 50, 99, 1).part, PlotPart::None);
  EXPECT_EQ(grip_at(rows, 50, 198, 1).part, PlotPart::None);  // nothing to divide below the last
}

std::vector<IterationRecord> steady(Nanoseconds begin, std::size_t count, Nanoseconds duration) {
  std::vector<IterationRecord> records;
  IterationRecord r;
  for (std::size_t i = 0; i < count; ++i) {
    r.start_ns = begin + static_cast<Nanoseconds>(i) * duration;
    r.end_ns = r.start_ns + duration;
    ++r.number;
    r.iterations_ns += duration;
    r.loss = 1;
    records.push_back(r);
  }
  return records;
}

// 40 iterations of 100 ns from 500 on, of which at most 8 records are kept: the first ones are soon dropped, and the
// ghost stands where it stood.
TEST(Ghost, BeginsAtTheLastKnobElseWithTheRun) {
  trace::Trace trace;
  analysis_test::TraceBuilder build(trace);
  analysis::LiveAnalysis live(trace, 8);
  EXPECT_EQ(stretch_begin(live, std::nullopt), 0);
  for (base::Nanoseconds t = 500; t < 4500; t += 100) build.iteration(t, t + 100);
  build.publish();
  live.update(800);
  EXPECT_EQ(stretch_begin(live, std::nullopt), 500);
  live.update(10'000);
  live.finish();
  ASSERT_GT(live.records().front().start_ns, 500);
  EXPECT_EQ(stretch_begin(live, std::nullopt), 500);
  EXPECT_EQ(stretch_begin(live, 900), 900);
}

// Pinned: 500 to 1500, iterations of 100 ns. The present stretch begins at 8000, which stands at pixel 20; 10 ns are a
// pixel. So the ghost stands from there (its first iteration only counts) to pixel 120, and goes on at its mean.
TEST(Ghost, StandsWhereThePresentStretchBegins) {
  GhostRun ghost;
  ghost.begin_ns = 500;
  ghost.records = steady(500, 10, 100);
  ghost.pinned_ns = 1500;
  ghost.number = 1;
  const TimeAxis axis(7800, 10, 0, 200);
  EXPECT_FLOAT_EQ(ghost_axis(axis, 500, 8000).to_px(500), axis.to_px(8000));
  prepare_ghost(ghost, axis, 8000, PlotKinds::all());
  const GhostColumns rate = ghost_columns(ghost, PlotKind::IterationsPerSecond, axis, 8000);
  ASSERT_EQ(rate.columns.size(), 200u);
  EXPECT_TRUE(std::isnan(rate.columns[19].mean));
  EXPECT_FLOAT_EQ(rate.columns[40].mean, 1e7f);
  EXPECT_EQ(rate.mean_from, 120u);
  EXPECT_FLOAT_EQ(rate.columns[180].mean, 1e7f);
  // A loss would have gone on falling: no mean is made up.
  const GhostColumns loss = ghost_columns(ghost, PlotKind::Loss, axis, 8000);
  EXPECT_EQ(loss.mean_from, 200u);
  EXPECT_TRUE(std::isnan(loss.columns[180].mean));
}

workload::Settings settings(bool pinned, std::int64_t batch, std::int64_t interval) {
  using workload::SettingSpec;
  using workload::SettingType;
  std::vector<SettingSpec> specs(3);
  specs[0].key = "pinned";
  specs[0].label = "pinned host memory";
  specs[0].standard = pinned;
  specs[1].key = "batch";
  specs[1].label = "Batch size";
  specs[1].type = SettingType::Integer;
  specs[1].standard = batch;
  specs[1].maximum = specs[2].maximum = 1000;
  specs[2].key = "interval";
  specs[2].label = "Log interval";
  specs[2].type = SettingType::Integer;
  specs[2].standard = interval;
  specs[2].zero_is_never = true;
  return workload::Settings(specs);
}

TEST(Ghost, SaysWhatItWas) {
  GhostRun ghost;
  ghost.title = "the same settings";
  ghost.workload = "linear-mse";
  ghost.device = "RTX 4090";
  ghost.settings = settings(false, 64, 0);
  const auto difference = [&](const workload::Settings& now, const char* device = "RTX 4090") {
    return ghost_difference(ghost, device, "linear-mse", &now);
  };
  EXPECT_EQ(difference(settings(false, 64, 0)), "the same settings");
  EXPECT_EQ(difference(settings(true, 64, 0)), "pinned host memory false");
  EXPECT_EQ(difference(settings(true, 128, 1)), "pinned host memory false, batch size 64, log interval never");
  EXPECT_EQ(difference(settings(true, 128, 1), "H200"), "RTX 4090, pinned host memory false, batch size 64 and 1 more");
  EXPECT_EQ(ghost_difference(ghost, "RTX 4090", "other", nullptr), "linear-mse");
  EXPECT_EQ(ghost_legend("pinned false", 2512, 5080),
            "ghost: pinned false · 2,512 → now 5,080 iterations/s (2.02x faster)");
  EXPECT_EQ(ghost_legend("pinned false", 2512, std::nan("")), "ghost: pinned false · 2,512 iterations/s");
  EXPECT_EQ(ghost_legend("pinned false", std::nan(""), 1), "ghost: pinned false");
}

}  // namespace
}  // namespace lanescope::ui
