// Properties of the time axis anywhere and at any zoom, from a hundred pixels per nanosecond to days on the screen.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "timeline/time_axis.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;

constexpr Nanoseconds kFar = Nanoseconds{1} << 61;
constexpr float kAxisLeft = 118, kAxisWidth = 3000;
constexpr float kHair = 0.01f;  // pixels: what a float leaves of a position on a large screen

class Axes : public testing::Test {
 protected:
  // Zooms evenly over their powers; origins from 0 to the ends of what an axis is for.
  TimeAxis any() {
    const double widest = TimeAxis::kMaxSpanNs / static_cast<double>(kAxisWidth);
    const double zoom = std::exp(between(std::log(TimeAxis::kMinNsPerPixel), std::log(widest)));
    const double size = std::exp2(between(0, 61));
    const auto origin = static_cast<Nanoseconds>(random() % 8 == 0 ? static_cast<double>(kFar) : size);
    const TimeAxis axis(random() % 2 ? origin : -origin, zoom, kAxisLeft, kAxisWidth);
    return axis.panned(static_cast<float>(between(-1, 1)));  // and a fraction of a nanosecond
  }
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }
  float pixel() {
    return static_cast<float>(between(static_cast<double>(kAxisLeft), static_cast<double>(kAxisLeft + kAxisWidth)));
  }
  Nanoseconds time_in(const TimeAxis& axis) {
    return std::uniform_int_distribution<Nanoseconds>(axis.begin_ns(), axis.end_ns())(random);
  }

  std::mt19937_64 random{2026};
};

TEST_F(Axes, APixelComesBackWithinAPixelOrTheNearestNanosecond) {
  for (int i = 0; i < 20'000; ++i) {
    const TimeAxis axis = any();
    const float px = pixel();
    const float allowed = static_cast<float>(0.5 / axis.ns_per_pixel()) + kHair;
    ASSERT_NEAR(axis.to_px(axis.to_ns(px)), px, std::max(allowed, kHair)) << axis.ns_per_pixel() << " ns per pixel";
  }
}

TEST_F(Axes, AnInstantComesBackWithinANanosecondOrAHairOfAPixel) {
  for (int i = 0; i < 20'000; ++i) {
    const TimeAxis axis = any();
    const Nanoseconds t = time_in(axis);
    const double off = std::abs(static_cast<double>(axis.to_ns(axis.to_px(t)) - t));
    ASSERT_LE(off, std::max(1.0, static_cast<double>(kHair) * axis.ns_per_pixel()))
        << t << " at " << axis.ns_per_pixel() << " ns per pixel";
  }
}

TEST_F(Axes, LaterIsNeverFurtherLeft) {
  for (int i = 0; i < 20'000; ++i) {
    const TimeAxis axis = any();
    Nanoseconds a = time_in(axis), b = random() % 2 ? time_in(axis) : a + static_cast<Nanoseconds>(random() % 3);
    if (a > b) std::swap(a, b);
    ASSERT_LE(axis.to_px(a), axis.to_px(b));
    float x = pixel(), y = pixel();
    if (x > y) std::swap(x, y);
    ASSERT_LE(axis.to_ns(x), axis.to_ns(y));
  }
}

TEST_F(Axes, AZoomKeepsWhatIsUnderTheCursor) {
  for (int i = 0; i < 20'000; ++i) {
    const TimeAxis axis = any();
    const float at = pixel();
    const TimeAxis zoomed = axis.zoomed(std::exp(between(-6, 6)), at);
    const double before = static_cast<double>(at - kAxisLeft) * axis.ns_per_pixel() + axis.origin_fraction();
    const double after = static_cast<double>(at - kAxisLeft) * zoomed.ns_per_pixel() + zoomed.origin_fraction() +
                         static_cast<double>(zoomed.origin_ns() - axis.origin_ns());
    const double coarser = std::max(axis.ns_per_pixel(), zoomed.ns_per_pixel());
    ASSERT_NEAR(before, after, static_cast<double>(kHair) * coarser) << axis.ns_per_pixel();
  }
}

TEST_F(Axes, PannedThereAndBackIsWhereItWas) {
  for (int i = 0; i < 20'000; ++i) {
    const TimeAxis axis = any();
    const auto px = static_cast<float>(between(-5000, 5000));
    const TimeAxis back = axis.panned(px).panned(-px);
    const double off =
        static_cast<double>(back.origin_ns() - axis.origin_ns()) + back.origin_fraction() - axis.origin_fraction();
    ASSERT_LE(std::abs(off), 1e-6 * axis.ns_per_pixel()) << axis.ns_per_pixel() << " ns per pixel, " << px;
    ASSERT_EQ(back.ns_per_pixel(), axis.ns_per_pixel());
  }
}

TEST_F(Axes, NothingOverflowsAnywhere) {
  constexpr Nanoseconds kLow = std::numeric_limits<Nanoseconds>::min();
  constexpr Nanoseconds kHigh = std::numeric_limits<Nanoseconds>::max();
  constexpr float kEnd = std::numeric_limits<float>::max();
  const auto check = [&](const TimeAxis& axis) {
    ASSERT_GE(axis.origin_ns(), -TimeAxis::kMaxTime);
    ASSERT_LE(axis.origin_ns(), TimeAxis::kMaxTime);
    ASSERT_GE(axis.origin_fraction(), 0);
    ASSERT_LT(axis.origin_fraction(), 1);
    ASSERT_LE(axis.begin_ns(), axis.end_ns());
    ASSERT_GE(axis.ns_per_pixel(), TimeAxis::kMinNsPerPixel);
    ASSERT_LE(axis.span_ns(), TimeAxis::kMaxSpanNs * 1.0001);
    float before = -kEnd;
    for (const Nanoseconds t : {kLow, -kFar, Nanoseconds{-1}, Nanoseconds{0}, Nanoseconds{1}, kFar, kHigh}) {
      const float px = axis.to_px(t);
      ASSERT_TRUE(std::isfinite(px));
      ASSERT_GE(px, before);
      ASSERT_GE(px, axis.left_px() - TimeAxis::kOffscreenPx - 1);
      ASSERT_LE(px, axis.right_px() + TimeAxis::kOffscreenPx + 1);
      before = px;
    }
    ASSERT_LE(axis.to_ns(-kEnd), axis.to_ns(0));
    ASSERT_LE(axis.to_ns(0), axis.to_ns(kEnd));
    ASSERT_GE(axis.length_ns(kEnd), axis.length_ns(1));
    ASSERT_TRUE(std::isfinite(axis.length_px(kHigh)));
  };
  for (int i = 0; i < 3'000; ++i) {
    const TimeAxis axis = any();
    check(axis);
    check(axis.panned(kEnd));
    check(axis.panned(-kEnd));
    check(axis.zoomed(1e30, pixel()));
    check(axis.zoomed(1e-30, pixel()));
    check(axis.zoomed(1e-30, kEnd));
    check(axis.fitted(kLow, kHigh));
    check(axis.fitted(kHigh, kLow));
    check(axis.fitted(kFar, kFar + 1));
    check(axis.anchored(kLow, pixel()));
    check(axis.anchored(kHigh, -kEnd));
    check(axis.placed(0, 1e9f));
    check(axis.with_ns_per_pixel(std::numeric_limits<double>::infinity()));
    check(axis.with_ns_per_pixel(std::nan("")));
    if (HasFatalFailure()) return;
  }
}

TEST_F(Axes, TheRulersLabelsAreUniqueAndInOrder) {
  for (int i = 0; i < 3'000; ++i) {
    const TimeAxis axis = any();
    const Nanoseconds origin = random() % 3 == 0 ? 0 : random() % 2 ? axis.begin_ns() : kFar - 7;
    const Ruler ruler = make_ruler(axis, 84, origin);
    ASSERT_FALSE(ruler.ticks.empty()) << axis.ns_per_pixel();
    ASSERT_LT(ruler.ticks.size(), 600u);
    std::set<std::string> labels;
    const Tick* before = nullptr;
    const Tick* major = nullptr;
    for (const Tick& tick : ruler.ticks) {
      ASSERT_GE(tick.px, axis.left_px());
      ASSERT_LE(tick.px, axis.right_px());
      if (before) {
        ASSERT_GT(tick.t, before->t);
        ASSERT_GT(tick.px, before->px);
      }
      before = &tick;
      if (!tick.major) continue;
      ASSERT_TRUE(labels.insert(tick.label).second) << "'" << tick.label << "' twice, in " << ruler.unit;
      if (major) {
        ASSERT_EQ(tick.t - major->t, ruler.step_ns);
        ASSERT_GT(std::stoll(tick.label), std::stoll(major->label));
        ASSERT_GE(tick.px - major->px, 84 - kHair);
      }
      major = &tick;
    }
  }
}

}  // namespace
}  // namespace lanescope::ui
