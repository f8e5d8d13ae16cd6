#include "timeline/time_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace lanescope::ui {
namespace {

using base::Nanoseconds;

constexpr Nanoseconds kHuge = Nanoseconds{1} << 62;

// 2 ns per pixel from pixel 100 on, the left edge is 1000 ns: pixel 200 is 100 pixels and so 200 ns further.
TEST(TimeAxis, ConvertsBothWays) {
  const TimeAxis axis(1000, 2.0, 100, 800);
  EXPECT_FLOAT_EQ(axis.to_px(1000), 100);
  EXPECT_FLOAT_EQ(axis.to_px(1200), 200);
  EXPECT_FLOAT_EQ(axis.to_px(900), 50);
  EXPECT_EQ(axis.to_ns(200), 1200);
  EXPECT_EQ(axis.to_ns(50), 900);
  EXPECT_EQ(axis.begin_ns(), 1000);
  EXPECT_EQ(axis.end_ns(), 2600);
  EXPECT_DOUBLE_EQ(axis.span_ns(), 1600);
  EXPECT_FLOAT_EQ(axis.length_px(300), 150);
  EXPECT_EQ(axis.length_ns(1.2f), 3);
  EXPECT_TRUE(axis.overlaps(900, 1001));
  EXPECT_FALSE(axis.overlaps(900, 1000));
  EXPECT_FALSE(axis.overlaps(2600, 2700));
}

// Twice as near at pixel 200 (1200 ns): 1 ns per pixel, so the left edge is 100 ns before it.
TEST(TimeAxis, ZoomKeepsWhatIsUnderTheCursor) {
  const TimeAxis axis = TimeAxis(1000, 2.0, 100, 800).zoomed(2, 200);
  EXPECT_DOUBLE_EQ(axis.ns_per_pixel(), 1.0);
  EXPECT_EQ(axis.origin_ns(), 1100);
  EXPECT_FLOAT_EQ(axis.to_px(1200), 200);
}

TEST(TimeAxis, PanFitAnchorPlace) {
  const TimeAxis axis(1000, 2.0, 100, 800);
  EXPECT_EQ(axis.panned(50).origin_ns(), 900);
  EXPECT_EQ(axis.panned(-50).origin_ns(), 1100);

  const TimeAxis fitted = axis.fitted(5000, 13000);
  EXPECT_DOUBLE_EQ(fitted.ns_per_pixel(), 10);
  EXPECT_FLOAT_EQ(fitted.to_px(5000), 100);
  EXPECT_FLOAT_EQ(fitted.to_px(13000), 900);

  EXPECT_FLOAT_EQ(axis.anchored(7777, 900).to_px(7777), 900);
  EXPECT_EQ(axis.anchored(7777, 900).origin_ns(), 7777 - 1600);

  const TimeAxis placed = axis.placed(0, 400);
  EXPECT_EQ(placed.origin_ns(), 1000);
  EXPECT_EQ(placed.end_ns(), 1800);
}

TEST(TimeAxis, FitsTheSmallestRangesInTheMiddle) {
  const TimeAxis axis(0, 1.0, 0, 1000);
  // 2 ns over 1000 pixels would be 0.002 ns per pixel; at the limit of 0.01 they fill 200 pixels, 400 to 600.
  const TimeAxis two = axis.fitted(500, 502);
  EXPECT_DOUBLE_EQ(two.ns_per_pixel(), TimeAxis::kMinNsPerPixel);
  EXPECT_NEAR(two.to_px(500), 400, 0.01);
  EXPECT_NEAR(two.to_px(502), 600, 0.01);
  // An empty range keeps the zoom and is in the middle.
  const TimeAxis none = axis.fitted(500, 500);
  EXPECT_DOUBLE_EQ(none.ns_per_pixel(), 1.0);
  EXPECT_NEAR(none.to_px(500), 500, 0.01);
}

TEST(TimeAxis, StaysWithinItsLimits) {
  TimeAxis near(0, 1.0, 0, 1000), far(0, 1.0, 0, 1000);
  for (int i = 0; i < 400; ++i) {
    near = near.zoomed(1.3, 400);
    far = far.zoomed(1 / 1.3, 400);
  }
  EXPECT_DOUBLE_EQ(near.ns_per_pixel(), TimeAxis::kMinNsPerPixel);
  EXPECT_DOUBLE_EQ(far.span_ns(), TimeAxis::kMaxSpanNs);

  const TimeAxis last = TimeAxis(TimeAxis::kMaxTime - 10, 1e9, 0, 1000).panned(-1e9f);
  EXPECT_EQ(last.origin_ns(), TimeAxis::kMaxTime);
  EXPECT_GT(last.end_ns(), last.begin_ns());
  const TimeAxis first = TimeAxis(-TimeAxis::kMaxTime + 10, 1e9, 0, 1000).panned(1e9f);
  EXPECT_EQ(first.origin_ns(), -TimeAxis::kMaxTime);

  const TimeAxis odd(0, std::nan(""), 0, 1000);
  EXPECT_DOUBLE_EQ(odd.ns_per_pixel(), TimeAxis::kMinNsPerPixel);
  EXPECT_EQ(odd.zoomed(0, 5), odd);
  EXPECT_EQ(odd.zoomed(std::nan(""), 5), odd);
}

TEST(TimeAxis, FarOffEdgesAreClamped) {
  const TimeAxis axis(0, 0.01, 100, 800);
  EXPECT_FLOAT_EQ(axis.to_px(std::numeric_limits<Nanoseconds>::max()), 100 + 800 + TimeAxis::kOffscreenPx);
  EXPECT_FLOAT_EQ(axis.to_px(std::numeric_limits<Nanoseconds>::min()), 100 - TimeAxis::kOffscreenPx);
  // The difference of these two does not fit into 64 bits.
  const TimeAxis early(-kHuge, 1.0, 0, 800);
  EXPECT_FLOAT_EQ(early.to_px(std::numeric_limits<Nanoseconds>::max()), 800 + TimeAxis::kOffscreenPx);
}

// A pan of half a pixel at 0.01 ns per pixel is 0.005 ns; a thousand of them are 5 ns, wherever the origin is.
TEST(TimeAxis, SlowPansAtTheDeepestZoomAddUp) {
  for (Nanoseconds origin : {Nanoseconds{0}, Nanoseconds{123456789}, kHuge, -kHuge}) {
    TimeAxis axis(origin, 0.01, 0, 1600);
    const float start = axis.to_px(origin);
    for (int i = 0; i < 1000; ++i) {
      const TimeAxis next = axis.panned(-0.5f);
      ASSERT_NE(next, axis);
      ASSERT_NEAR(next.to_px(origin), start - 0.5f * static_cast<float>(i + 1), 0.05);
      axis = next;
    }
    EXPECT_EQ(axis.origin_ns() + static_cast<Nanoseconds>(std::lround(axis.origin_fraction())), origin + 5);
  }
}

TEST(TimeAxis, NanosecondsAreExactAtTheDeepestZoomAndFarOut) {
  const TimeAxis axis(kHuge, 0.01, 200, 1600);
  for (Nanoseconds t = kHuge; t < kHuge + 16; ++t) {
    EXPECT_FLOAT_EQ(axis.to_px(t), 200 + 100 * static_cast<float>(t - kHuge));
    EXPECT_EQ(axis.to_ns(axis.to_px(t)), t);
  }
}

// Properties over random axes: a pixel's time is drawn on that pixel; zooming holds the cursor; a pan there and back is
// where it was.
TEST(TimeAxis, PropertiesHoldEverywhere) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-2, 10), unit(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const int shift = static_cast<int>(random() % 62);
    const Nanoseconds origin = static_cast<Nanoseconds>(random() >> 2) >> shift;
    const TimeAxis axis(round % 2 == 0 ? origin : -origin, std::pow(10, exponent(random)), 160, 1000);
    const float px = 160 + 1000 * static_cast<float>(unit(random));
    const Nanoseconds t = axis.to_ns(px);
    const double tolerance = 0.5 / axis.ns_per_pixel() + 1e-3;  // half a nanosecond, and the float
    ASSERT_NEAR(axis.to_px(t), px, tolerance);

    const double factor = std::pow(10, unit(random) * 2 - 1);
    const TimeAxis zoomed = axis.zoomed(factor, px);
    // The same time within a nanosecond, or what 16 digits give at the widest of the two.
    const double widest = std::max(axis.span_ns(), zoomed.span_ns());
    ASSERT_NEAR(static_cast<double>(zoomed.to_ns(px) - t), 0, 1 + widest * 1e-12);

    const TimeAxis back = axis.panned(333.25f).panned(-333.25f);
    const double moved =
        static_cast<double>(back.origin_ns() - axis.origin_ns()) + (back.origin_fraction() - axis.origin_fraction());
    ASSERT_NEAR(moved, 0, 1e-9 + axis.span_ns() * 1e-14);
    ASSERT_GE(back.origin_fraction(), 0);
    ASSERT_LT(back.origin_fraction(), 1);
  }
}

}  // namespace
}  // namespace lanescope::ui
