#include "window/widgets.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/catalogue.h"
#include "model/experiment/slider_scale.h"
#include "window/panels/run/run_panels.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using workload::SettingSpec;
using workload::SettingType;

SettingSpec with_stops(std::vector<double> stops, bool zero_is_never) {
  SettingSpec spec;
  spec.key = "test";
  spec.type = SettingType::Integer;
  spec.minimum = 0;
  spec.maximum = 100'000;
  spec.stops = std::move(stops);
  spec.zero_is_never = zero_is_never;
  return spec;
}

TEST(Slider, StopsAreEvenlySpread) {
  const SettingSpec spec = with_stops({1, 2, 5, 10, 100}, false);
  EXPECT_DOUBLE_EQ(slider_position(spec, 1), 0);
  EXPECT_DOUBLE_EQ(slider_position(spec, 2), 0.25);
  EXPECT_DOUBLE_EQ(slider_position(spec, 5), 0.5);
  EXPECT_DOUBLE_EQ(slider_position(spec, 100), 1);
  // Half way between 10 and 100 in value is half way between their stops.
  EXPECT_DOUBLE_EQ(slider_position(spec, 55), 0.875);
  EXPECT_DOUBLE_EQ(slider_position(spec, 5000), 1);
  EXPECT_DOUBLE_EQ(slider_position(spec, 0), 0);
  // The nearest stop is taken.
  EXPECT_DOUBLE_EQ(slider_value(spec, 0.12), 1);
  EXPECT_DOUBLE_EQ(slider_value(spec, 0.13), 2);
  EXPECT_DOUBLE_EQ(slider_value(spec, -3), 1);
  EXPECT_DOUBLE_EQ(slider_value(spec, 7), 100);
}

// "Never" is rarer than the rarest: it stands at the right end, and 1, the most often, at the left.
TEST(Slider, NeverStandsBeyondTheRarest) {
  const SettingSpec spec = with_stops({0, 1, 10, 100, 2000}, true);
  EXPECT_DOUBLE_EQ(slider_position(spec, 1), 0);
  EXPECT_DOUBLE_EQ(slider_position(spec, 2000), 0.75);
  EXPECT_DOUBLE_EQ(slider_position(spec, 0), 1);
  EXPECT_DOUBLE_EQ(slider_value(spec, 1), 0);
  EXPECT_DOUBLE_EQ(slider_value(spec, 0), 1);
  // A typed value beyond the last stop is between that and never.
  EXPECT_GT(slider_position(spec, 50'000), 0.75);
  EXPECT_LT(slider_position(spec, 50'000), 1);
}

TEST(Slider, PowersAreEvenlySpread) {
  SettingSpec spec = with_stops({}, false);
  spec.minimum = 1;
  spec.maximum = 10'000;
  spec.logarithmic = true;
  EXPECT_NEAR(slider_position(spec, 1), 0, 1e-12);
  EXPECT_NEAR(slider_position(spec, 10), 0.25, 1e-12);
  EXPECT_NEAR(slider_position(spec, 1000), 0.75, 1e-12);
  EXPECT_NEAR(slider_value(spec, 0.5), 100, 1e-9);
  EXPECT_NEAR(slider_position(spec, 0), 0, 1e-12);
}

TEST(Slider, ElseItIsAStraightLine) {
  SettingSpec spec = with_stops({}, false);
  spec.minimum = 10;
  spec.maximum = 30;
  EXPECT_DOUBLE_EQ(slider_position(spec, 15), 0.25);
  EXPECT_DOUBLE_EQ(slider_value(spec, 0.25), 15);
  EXPECT_DOUBLE_EQ(slider_value(spec, 2), 30);
}

// Every slider of every workload: what it can be set to, it comes back from; further right is never further left.
TEST(Slider, OfEveryRealSettingGoesThereAndBack) {
  int sliders = 0;
  for (const std::string& name : workload::workload_names()) {
    const workload::Settings settings = workload::default_settings(name, device::describe_device("sim:rtx4090"));
    for (const SettingSpec& spec : settings.specs()) {
      if (spec.type != SettingType::Integer && spec.type != SettingType::Real) continue;
      ++sliders;
      for (const double stop : spec.stops) {
        EXPECT_DOUBLE_EQ(slider_value(spec, slider_position(spec, stop)), stop) << name << " " << spec.key;
      }
      double before = -1;
      for (int i = 0; i <= 200; ++i) {
        const double position = i / 200.0;
        const double value = slider_value(spec, position);
        EXPECT_GE(value, spec.minimum) << spec.key;
        EXPECT_LE(value, spec.maximum * (1 + 1e-12)) << spec.key;
        const double back = slider_position(spec, value);
        EXPECT_GE(back, before - 1e-12) << name << " " << spec.key << " at " << position;
        if (spec.stops.empty()) {
          EXPECT_NEAR(back, position, 1e-9) << spec.key;
        }
        before = back;
      }
      const auto& standard = spec.standard;
      const double number = std::holds_alternative<double>(standard)
                                ? std::get<double>(standard)
                                : static_cast<double>(std::get<std::int64_t>(standard));
      EXPECT_GE(slider_position(spec, number), 0) << spec.key;
      EXPECT_LE(slider_position(spec, number), 1) << spec.key;
    }
  }
  EXPECT_GE(sliders, 6);
}

TEST(SpeedText, ReadsAsAFraction) {
  EXPECT_EQ(speed_text(1), "1x");
  EXPECT_EQ(speed_text(0.1), "1/10 x");
  EXPECT_EQ(speed_text(0.01), "1/100 x");
  EXPECT_EQ(speed_text(0.001), "1/1000 x");
}

}  // namespace
}  // namespace lanescope::ui
