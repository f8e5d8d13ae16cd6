#include "workload/virtual_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::workload {
namespace {

double checked_speed(double speed) {
  if (!std::isfinite(speed) || speed <= 0) {
    throw base::UsageError(base::tr("speed {} is not possible; allowed: numbers above 0", speed));
  }
  return speed;
}

base::Nanoseconds nanoseconds_between(VirtualClock::WallTime from, VirtualClock::WallTime to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

}  // namespace

VirtualClock::VirtualClock(double speed, WallTime now) : speed_(checked_speed(speed)), anchor_wall_(now) {}

base::Nanoseconds VirtualClock::at(WallTime now) const {
  if (paused_) return anchor_virtual_;
  const double elapsed = static_cast<double>(nanoseconds_between(anchor_wall_, now)) * speed_;
  return anchor_virtual_ + std::llround(std::min(elapsed, 4e18));
}

VirtualClock::WallTime VirtualClock::when(base::Nanoseconds t) const {
  if (paused_) return WallTime::max();
  const double wait_ns = std::ceil(static_cast<double>(t - anchor_virtual_) / speed_);
  const double hour_ns = 3600e9;
  return anchor_wall_ + std::chrono::nanoseconds(std::llround(std::clamp(wait_ns, 0.0, hour_ns)));
}

void VirtualClock::anchor(base::Nanoseconds t, WallTime now) {
  anchor_virtual_ = t;
  anchor_wall_ = now;
}

void VirtualClock::set_speed(double speed, WallTime now) {
  const double checked = checked_speed(speed);
  anchor(at(now), now);
  speed_ = checked;
}

void VirtualClock::pause(bool paused, base::Nanoseconds t, WallTime now) {
  if (paused == paused_) return;
  anchor(t, now);
  paused_ = paused;
}

void VirtualClock::hold_back(base::Nanoseconds t, WallTime now) {
  if (paused_) return;
  const double behind_ns = static_cast<double>(at(now) - t) / speed_;
  if (behind_ns > static_cast<double>(std::chrono::nanoseconds(kSlack).count())) anchor(t, now);
}

}  // namespace lanescope::workload
