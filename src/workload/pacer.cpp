#include "workload/pacer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/time.h"
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

// --- pacer -----------------------------------------------------------------------------------------------------------

Pacer::Pacer(bool paced, double speed, Waits waits) : paced_(paced), waits_(waits), clock_(speed, base::now()) {}

void Pacer::wait_for(base::Nanoseconds t) {
  std::unique_lock lock(mutex_);
  frontier_ = std::max(frontier_, t);
  if (!paced_ || stopped_ || fast_ || waits_ == Waits::InTurns) return;
  clock_.hold_back(t, base::now());
  for (;;) {
    const Clock::time_point wall = base::now();
    if (stopped_ || clock_.at(wall) >= t) return;
    if (clock_.paused()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, std::max(clock_.when(t), wall + kNap));
    }
  }
}

bool Pacer::due() const {
  const std::lock_guard lock(mutex_);
  return !paced_ || stopped_ || fast_ || (!clock_.paused() && clock_.at(base::now()) >= frontier_);
}

void Pacer::hold_back() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point wall = base::now();
  if (paced_ && !clock_.paused() && clock_.at(wall) > frontier_) clock_.jump(frontier_, wall);
}

base::Nanoseconds Pacer::seen_at(Clock::time_point wall) const {
  return paced_ && !fast_ ? std::min(clock_.at(wall), frontier_) : frontier_;
}

base::Nanoseconds Pacer::now_ns() const {
  const std::lock_guard lock(mutex_);
  return seen_at(base::now());
}

void Pacer::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  clock_.set_speed(speed, base::now());
  changed_.notify_all();
}

double Pacer::speed() const {
  const std::lock_guard lock(mutex_);
  return clock_.speed();
}

void Pacer::pause(bool paused) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point wall = base::now();
  clock_.pause(paused, seen_at(wall), wall);
  changed_.notify_all();
}

bool Pacer::paused() const {
  const std::lock_guard lock(mutex_);
  return clock_.paused();
}

void Pacer::wait_while_paused() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || !clock_.paused(); });
}

void Pacer::fast_forward(bool on) {
  const std::lock_guard lock(mutex_);
  if (fast_ && !on) clock_.jump(frontier_, base::now());
  fast_ = on;
}

void Pacer::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace lanescope::workload
