#include "model/experiment/slider_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope::ui {

using workload::SettingSpec;

namespace {

// The stops from left to right: "never" comes after the rarest.
std::vector<double> stops_in_order(const SettingSpec& spec) {
  std::vector<double> stops = spec.stops;
  if (spec.zero_is_never && stops.front() == 0) std::rotate(stops.begin(), stops.begin() + 1, stops.end());
  return stops;
}

}  // namespace

double slider_position(const SettingSpec& spec, double value) {
  if (spec.stops.size() > 1) {
    const std::vector<double> stops = stops_in_order(spec);
    const auto last = static_cast<double>(stops.size() - 1);
    for (std::size_t i = 0; i < stops.size(); ++i) {
      if (stops[i] == value) return static_cast<double>(i) / last;
      const bool between = i + 1 < stops.size() && stops[i] < value && value < stops[i + 1];
      if (between) return (static_cast<double>(i) + (value - stops[i]) / (stops[i + 1] - stops[i])) / last;
    }
    const bool beyond = value > *std::max_element(stops.begin(), stops.end());
    return !beyond ? 0 : spec.zero_is_never ? (last - 0.5) / last : 1;
  }
  if (spec.logarithmic && spec.minimum > 0) {
    return std::log(std::max(value, spec.minimum) / spec.minimum) / std::log(spec.maximum / spec.minimum);
  }
  return (value - spec.minimum) / (spec.maximum - spec.minimum);
}

double slider_value(const SettingSpec& spec, double position) {
  position = std::clamp(position, 0.0, 1.0);
  if (spec.stops.size() > 1) {
    const std::vector<double> stops = stops_in_order(spec);
    return stops[static_cast<std::size_t>(std::lround(position * static_cast<double>(stops.size() - 1)))];
  }
  if (spec.logarithmic && spec.minimum > 0) {
    return spec.minimum * std::pow(spec.maximum / spec.minimum, position);
  }
  return spec.minimum + position * (spec.maximum - spec.minimum);
}

double next_slider_value(const SettingSpec& spec, double value, int direction) {
  const bool whole = spec.type == workload::SettingType::Integer;
  const double at = slider_position(spec, value);
  if (spec.stops.size() < 2) {
    const double moved = slider_value(spec, std::clamp(at + direction * 0.02, 0.0, 1.0));
    const bool too_little = whole && std::abs(moved - value) < 1;
    return std::clamp(too_little ? value + direction : moved, spec.minimum, spec.maximum);
  }
  const double step = 1.0 / static_cast<double>(spec.stops.size() - 1);
  const double on_stop = std::round(at / step) * step;
  const double target = std::abs(at - on_stop) < 1e-9 ? at + direction * step
                        : direction > 0               ? std::ceil(at / step) * step
                                                      : std::floor(at / step) * step;
  return target < -1e-9 || target > 1 + 1e-9 ? value : slider_value(spec, target);
}

}  // namespace lanescope::ui
