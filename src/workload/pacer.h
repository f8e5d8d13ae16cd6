// Keeps a device's virtual time at a speed of the wall clock, so that a person can watch a simulated run.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/time.h"

namespace lanescope::workload {

/// virtual time = anchor + (wall time since the anchor) * speed. The workload's thread calls wait_for(); any thread asks
/// now_ns(), changes the speed, pauses and stops. Without pacing, wait_for() returns at once.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pacer(bool paced, double speed = 1.0);

  /// Returns when virtual time has reached t (at once when stopped or not paced). When the simulation cannot keep up
  /// with the wall clock, virtual time is held back instead of jumping later.
  void wait_for(base::Nanoseconds t);
  /// Virtual time as a person sees it now: never beyond what wait_for() was last asked for.
  base::Nanoseconds now_ns() const;
  void set_speed(double speed);  ///< 1 is real time; must be > 0
  double speed() const;
  void pause(bool paused);
  bool paused() const;
  void stop();  ///< wakes the waiting thread for good
  bool stopped() const;

 private:
  base::Nanoseconds virtual_at(Clock::time_point wall) const;  // with the mutex held
  void re_anchor(Clock::time_point wall);

  const bool paced_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  double speed_;
  bool paused_ = false;
  bool stopped_ = false;
  base::Nanoseconds anchor_virtual_ = 0;
  Clock::time_point anchor_wall_;
  base::Nanoseconds frontier_ = 0;  // the newest t asked for
};

}  // namespace lanescope::workload
