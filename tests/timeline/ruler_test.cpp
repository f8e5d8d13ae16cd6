#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

#include "timeline/time_axis.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
__extension__ using Wide = __int128;

constexpr float kCharacterPx = 7.3f;

std::vector<std::string> labels(const Ruler& ruler) {
  std::vector<std::string> result;
  for (const Tick& tick : ruler.ticks) {
    if (tick.major) result.push_back(tick.label);
  }
  return result;
}

// 1.2 ms over 1200 pixels, labels at least 70 pixels apart: steps of 100 µs, as in the design.
TEST(Ruler, ReadsLikeTheDesign) {
  const Ruler ruler = make_ruler(TimeAxis(0, 1000.0, 0, 1200), 70, 0);
  EXPECT_EQ(ruler.unit, "µs");
  EXPECT_EQ(ruler.base, "");
  EXPECT_EQ(ruler.step_ns, 100'000);
  EXPECT_EQ(labels(ruler), (std::vector<std::string>{"0", "100", "200", "300", "400", "500", "600", "700", "800", "900",
                                                     "1000", "1100", "1200"}));
  EXPECT_FLOAT_EQ(ruler.ticks.front().px, 0);
  // Four minor ticks between two major ones.
  EXPECT_EQ(ruler.ticks.size(), 12u * 5 + 1);
  EXPECT_FALSE(ruler.ticks[1].major);
  EXPECT_EQ(ruler.ticks[1].t, 20'000);
}

TEST(Ruler, CountsFromItsLabelOrigin) {
  const Ruler ruler = make_ruler(TimeAxis(1'000'250, 1000.0, 0, 400), 70, 1'100'250);
  EXPECT_EQ(labels(ruler), (std::vector<std::string>{"-100", "0", "100", "200", "300"}));
  EXPECT_EQ(ruler.ticks.front().t, 1'000'250);
}

TEST(Ruler, GoesFromNanosecondsToHours) {
  // 10 ns over 1000 pixels.
  const Ruler near = make_ruler(TimeAxis(0, 0.01, 0, 1000), 70, 0);
  EXPECT_EQ(near.unit, "ns");
  EXPECT_EQ(near.step_ns, 1);
  EXPECT_EQ(labels(near).back(), "10");
  // 20,000 s over 1000 pixels: 70 pixels are 1400 s, so 2000 s.
  const Ruler far = make_ruler(TimeAxis(0, 20e9, 0, 1000), 70, 0);
  EXPECT_EQ(far.unit, "s");
  EXPECT_EQ(far.step_ns, 2000 * base::kSecond);
  EXPECT_EQ(labels(far)[1], "2000");
}

// 12.3456789 s after the label origin, 100 ns on screen: the ruler shows the microseconds as its base.
TEST(Ruler, LongLabelsGetABase) {
  const Ruler ruler = make_ruler(TimeAxis(12'345'678'900, 0.1, 0, 1000), 70, 0);
  EXPECT_EQ(ruler.unit, "ns");
  EXPECT_EQ(ruler.base, "12.345678 s");
  EXPECT_EQ(labels(ruler).front(), "+900");
  EXPECT_EQ(labels(ruler).back(), "+1000");
  // Before the label origin the base is the next lower one.
  const Ruler before = make_ruler(TimeAxis(-500'200, 1.0, 0, 400), 70, 0);
  EXPECT_EQ(before.base, "-0.501 ms");
  EXPECT_EQ(labels(before).front(), "+800");
  const Ruler far = make_ruler(TimeAxis(Nanoseconds{4'611'686'018} * base::kSecond, 10e6, 0, 400), 70, 0);
  EXPECT_EQ(far.base, "4,611,686,000 s");
  EXPECT_EQ(labels(far).front(), "+18");
}

TEST(Ruler, SurvivesOddRequests) {
  const TimeAxis axis(0, 1000.0, 0, 300);
  EXPECT_FALSE(make_ruler(axis, 0, 0).ticks.empty());
  EXPECT_FALSE(make_ruler(axis, -5, 0).ticks.empty());
  EXPECT_LE(make_ruler(axis, 5000, 0).ticks.size(), 6u);
  EXPECT_LE(labels(make_ruler(TimeAxis(5, 1000.0, 0, 1), 70, 0)).size(), 1u);
}

/// What a user reads: the base and the label with their units, in nanoseconds.
Wide read_time(const Ruler& ruler, const std::string& label) {
  static const std::map<std::string, Nanoseconds> kUnits{
      {"ns", 1}, {"µs", base::kMicrosecond}, {"ms", base::kMillisecond}, {"s", base::kSecond}};
  Wide value = static_cast<Wide>(std::stoll(label)) * kUnits.at(ruler.unit);
  if (ruler.base.empty()) return value;
  std::string number = ruler.base.substr(0, ruler.base.find(' '));
  const Nanoseconds unit = kUnits.at(ruler.base.substr(ruler.base.find(' ') + 1));
  number.erase(std::remove(number.begin(), number.end(), ','), number.end());
  const bool negative = number[0] == '-';
  const std::size_t point = number.find('.');
  Wide base = static_cast<Wide>(std::stoll(number.substr(negative ? 1 : 0, point))) * unit;
  if (point != std::string::npos) {
    Wide place = unit;
    for (char digit : number.substr(point + 1)) base += (digit - '0') * (place /= 10);
  }
  return value + (negative ? -base : base);
}

bool is_one_two_five(Nanoseconds step) {
  while (step % 10 == 0) step /= 10;
  return step == 1 || step == 2 || step == 5;
}

void check(const TimeAxis& axis, float spacing, Nanoseconds label_origin) {
  const Ruler ruler = make_ruler(axis, spacing, label_origin);
  SCOPED_TRACE(testing::Message() << "origin " << axis.origin_ns() << " ns/px " << axis.ns_per_pixel() << " from "
                                  << label_origin);
  EXPECT_TRUE(is_one_two_five(ruler.step_ns)) << ruler.step_ns;
  std::set<std::string> seen;
  float last_major = -1e9f, last_end = -1e9f;
  float last_px = -1e9f;
  for (const Tick& tick : ruler.ticks) {
    ASSERT_GE(tick.px, axis.left_px());
    ASSERT_LE(tick.px, axis.right_px());
    ASSERT_GT(tick.px, last_px);
    last_px = tick.px;
    ASSERT_EQ(tick.px, axis.to_px(tick.t));
    ASSERT_EQ(tick.label.empty(), !tick.major);
    if (!tick.major) continue;
    ASSERT_TRUE(seen.insert(tick.label).second) << "label twice: " << tick.label;
    ASSERT_EQ((static_cast<Wide>(tick.t) - label_origin) % ruler.step_ns, 0);
    ASSERT_TRUE(read_time(ruler, tick.label) == static_cast<Wide>(tick.t) - label_origin)
        << ruler.base << " " << tick.label << " " << ruler.unit;
    const float width = kCharacterPx * static_cast<float>(tick.label.size());
    ASSERT_GT(tick.px - width / 2, last_end) << "labels overlap";
    ASSERT_GE(tick.px - last_major, spacing * 0.999f);
    last_major = tick.px;
    last_end = tick.px + width / 2;
  }
  // Never empty where there is room for two steps.
  if (axis.length_px(ruler.step_ns) * 2 < axis.width_px()) {
    EXPECT_FALSE(seen.empty());
  }
}

TEST(Ruler, LabelsNeverRepeatOrOverlapAtAnyZoom) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-2, std::log10(TimeAxis::kMaxSpanNs / 900)), fraction(0, 1);
  for (int round = 0; round < 4000 && !testing::Test::HasFailure(); ++round) {
    auto any_time = [&random] {
      const auto time = static_cast<Nanoseconds>(random() >> 2) >> (random() % 62);
      return random() % 2 == 0 ? time : -time;
    };
    TimeAxis axis(any_time(), std::pow(10, exponent(random)), 160, 900);
    axis = axis.panned(static_cast<float>(fraction(random)));
    const Nanoseconds label_origin = round % 3 == 0 ? axis.origin_ns() : round % 3 == 1 ? 0 : any_time();
    check(axis, static_cast<float>(fraction(random)) * 150, label_origin);
  }
}

TEST(Ruler, LabelsNeverRepeatOrOverlapWhileZoomingAtTheEndOfTime) {
  for (Nanoseconds origin : {Nanoseconds{1} << 62, -(Nanoseconds{1} << 62), TimeAxis::kMaxTime}) {
    TimeAxis axis(origin, 0.01, 160, 900);
    for (int step = 0; step < 700 && !testing::Test::HasFailure(); ++step) {
      check(axis, 60, 0);
      check(axis, 60, -origin);
      axis = axis.zoomed(0.95, 500);
    }
  }
}

}  // namespace
}  // namespace lanescope::ui
