#include "ui/timeline_drag.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::ui {

float LaneScroll::step(float now, float overflow, double seconds, bool animated) {
  constexpr double kEaseSeconds = 0.06;
  if (!target) return std::clamp(now, 0.0f, overflow);
  target = std::clamp(*target, 0.0f, overflow);
  const float left = *target - now;
  if (!animated || std::abs(left) < 0.5f) return *std::exchange(target, std::nullopt);
  return now + left * static_cast<float>(1 - std::exp(-std::min(seconds, 0.05) / kEaseSeconds));
}

}  // namespace lanescope::ui
