#include "workload/pacer.h"

#include <algorithm>

#include "base/time.h"

namespace lanescope::workload {

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
