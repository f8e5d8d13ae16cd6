#include "timeline/plots_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using base::Nanoseconds;
using trace::LaneKind;

class CounterPlotTest : public testing::Test {
 protected:
  void sample(Nanoseconds t, double value) {
    trace::Event event;
    event.lane = lane;
    event.kind = trace::EventKind::Counter;
    event.start_ns = event.end_ns = t;
    trace::set_value(event, value);
    trace.append(event);
    samples.emplace_back(t, value);
  }
  void prepare(const TimeAxis& axis, Nanoseconds edge) {
    trace.publish();
    for (int i = 0; i < 100; ++i) {
      plot.prepare(trace, lane, 1, axis, edge);
      if (!plot.behind()) return;
    }
    ADD_FAILURE() << "always behind";
  }
  /// The reference: looks at every sample.
  PlotColumn expected(Nanoseconds from, Nanoseconds to, Nanoseconds edge) const {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    if (from >= edge) return {kNaN, kNaN, kNaN};
    to = std::min(to, edge);
    Extremes range;
    double area = 0, value = std::nan("");
    Nanoseconds since = from;
    for (const auto& [t, v] : samples) {
      if (t >= to) break;
      if (t >= from) {
        if (std::isnan(value)) since = t;
        area += std::isnan(value) ? 0 : value * static_cast<double>(t - std::max(since, last_of(t, from)));
        range.take(static_cast<float>(std::isnan(value) ? v : value));
        range.take(static_cast<float>(v));
      }
      value = v;
    }
    if (std::isnan(value)) return {kNaN, kNaN, kNaN};
    if (range.empty()) range.take(static_cast<float>(value));
    const Nanoseconds last = std::max(from, last_of(to, from));
    area += value * static_cast<double>(to - last);
    const auto mean = static_cast<float>(area / static_cast<double>(to - since));
    return {range.min, range.max, mean};
  }
  Nanoseconds last_of(Nanoseconds before, Nanoseconds otherwise) const {  // the newest sample before this instant
    Nanoseconds found = otherwise;
    for (const auto& [t, v] : samples) {
      if (t >= before) break;
      found = std::max(found, t);
    }
    return found;
  }

  trace::Trace trace;
  trace::LaneId lane = TraceBuilder(trace).lane(LaneKind::Counter, 0, "queue");
  std::vector<std::pair<Nanoseconds, double>> samples;
  CounterPlot plot;
};

// 3 from 100 on, 7 from 250 on; 100 ns are a column. The third column has 3 for 50 ns and 7 for 50 ns.
TEST_F(CounterPlotTest, ASampleHoldsUntilTheNext) {
  sample(100, 3);
  sample(250, 7);
  prepare(TimeAxis(0, 100, 0, 6), 450);
  const auto& c = plot.columns();
  ASSERT_EQ(c.size(), 6u);
  EXPECT_TRUE(std::isnan(c[0].mean));
  EXPECT_EQ(c[1].mean, 3);
  EXPECT_EQ(c[2].mean, 5);
  EXPECT_EQ(c[2].min, 3);
  EXPECT_EQ(c[2].max, 7);
  EXPECT_EQ(c[4].mean, 7);
  EXPECT_TRUE(std::isnan(c[5].mean)) << "beyond the edge";
  EXPECT_EQ(newest_sample(trace, lane), 7);
}

TEST_F(CounterPlotTest, IsWhatItsSamplesAreAtAnyZoom) {
  std::mt19937 random(5);
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  Nanoseconds now = 500;
  for (int part = 0; part < 4; ++part) {  // grows while it is looked at
    for (int i = 0; i < 400; ++i) sample(now += 1 + upto(100), upto(1000));
    for (const double ns_per_pixel : {7.0, 300.0, 6000.0, 50'000.0}) {
      const TimeAxis axis(upto(2000), ns_per_pixel, 0, 40);
      const Nanoseconds edge = now - upto(300);
      prepare(axis, edge);
      for (std::size_t x = 0; x < 40; ++x) {
        const PlotColumn want =
            expected(axis.to_ns(static_cast<float>(x)), axis.to_ns(static_cast<float>(x) + 1), edge);
        const PlotColumn& c = plot.columns()[x];
        ASSERT_EQ(std::isnan(c.mean), std::isnan(want.mean)) << x << " of " << ns_per_pixel;
        if (std::isnan(c.mean)) continue;
        ASSERT_EQ(c.min, want.min) << x << " of " << ns_per_pixel;
        ASSERT_EQ(c.max, want.max) << x << " of " << ns_per_pixel;
        ASSERT_NEAR(c.mean, want.mean, 0.01) << x << " of " << ns_per_pixel;
      }
    }
  }
}

// 300,000 samples of 1 with one of 50: the first frame does not read all of them; then the spike is visible at every
// zoom.
TEST_F(CounterPlotTest, ReadsManySamplesStepByStepAndLosesNoSpike) {
  for (int i = 0; i < 300'000; ++i) sample(i * 10, i == 222'222 ? 50 : 1);
  trace.publish();
  plot.prepare(trace, lane, 1, TimeAxis(0, 30'000, 0, 100), 3'000'000);
  EXPECT_TRUE(plot.behind());
  for (const double ns_per_pixel : {3.0, 1000.0, 30'000.0, 300'000.0}) {
    prepare(TimeAxis(0, ns_per_pixel, 0, 100).anchored(2'222'220, 50), 3'000'000);
    float most = 0;
    for (const PlotColumn& c : plot.columns()) most = std::max(most, c.max);
    EXPECT_EQ(most, 50) << ns_per_pixel;
  }
}

}  // namespace
}  // namespace lanescope::ui
