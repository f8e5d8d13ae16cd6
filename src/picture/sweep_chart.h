// The texts in a sweep's chart, and the scale of its values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/sweep.h"

namespace lanescope::ui {

/// All texts in a chart; created once per sweep.
struct SweepTexts {
  std::vector<std::string> axes;                 ///< one title per axis: "Batch size"
  std::vector<std::vector<std::string>> values;  ///< per axis, as in the spec: "64 KiB"
  std::string value;                             ///< "time per iteration, µs", "CPU time / GPU time"
  std::string unit;                              ///< "µs", "x"
  bool is_ratio = false;                         ///< the values are speed-ups: 1 means equal
};
/// `unit` is the sweep's. A workload's own figure has a name only after the first of `points` has run.
SweepTexts sweep_texts(const experiment::SweepSpec& spec, const std::string& unit,
                       std::span<const experiment::SweepPoint> points);

/// Empty if the value is not a number.
std::optional<double> axis_number(const std::string& value);
/// For an axis that is not a setting: "Device". Null for a setting.
const char* axis_label(experiment::AxisKind kind);
/// "4 KiB" for a size of 4096, "sim:rtx4090" unchanged, "12,000" for 12000. A null spec means that the axis is not a
/// setting.
std::string axis_value_text(const workload::SettingSpec* spec, const std::string& value);
/// Three significant digits with the unit: "842 µs", "1.35 x", "13.4 GB/s".
std::string sweep_value_text(double value, std::string_view unit);

/// Positions of values between bottom (0) and top (1) of a line chart.
struct ValueScale {
  double low = 0, high = 1;
  bool logarithmic = false;

  float place(double value) const;
  /// The grid lines: round numbers.
  std::vector<double> ticks() const;
};
/// Starts at 0, unless the values are so far apart (a factor of 60) that the small ones would look like 0: then
/// logarithmic.
ValueScale value_scale(std::span<const experiment::SweepPoint> points, bool is_ratio);

}  // namespace lanescope::ui
