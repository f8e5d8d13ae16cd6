// Keeps a device's virtual time at a speed of the wall clock, so that a person can watch a simulated run; and holds a
// run while it is paused.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/time.h"
#include "workload/virtual_clock.h"

namespace lanescope::workload {

/// The workload's thread calls wait_for(); any thread asks now_ns(), changes the speed, pauses and stops. Without
/// pacing, wait_for() returns at once.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pacer(bool paced, double speed = 1.0);

  /// Returns when virtual time has reached t (at once when stopped or not paced), up to kNap later, so that a workload
  /// whose calls are microseconds apart does not sleep at each. When the simulation cannot keep up with the wall clock,
  /// virtual time is held back instead of jumping later.
  void wait_for(base::Nanoseconds t);
  static constexpr std::chrono::milliseconds kNap{1};
  /// Virtual time as a person sees it now: never beyond what wait_for() was last asked for.
  base::Nanoseconds now_ns() const;
  void set_speed(double speed);  ///< 1 is real time; throws base::UsageError unless it is a positive number
  double speed() const;
  void pause(bool paused);
  /// While on, nobody waits; afterwards time goes on from the newest t that was asked for. For what nobody wants to
  /// watch: setting up. On and off by the workload's thread.
  void fast_forward(bool on);
  bool paused() const;
  /// For devices in real time, whose clock cannot be held: returns when it is not paused, or when it is stopped.
  void wait_while_paused();
  void stop();  ///< wakes the waiting thread for good
  bool stopped() const;

 private:
  base::Nanoseconds seen_at(Clock::time_point wall) const;  // with the mutex held

  const bool paced_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  VirtualClock clock_;
  bool stopped_ = false;
  bool fast_ = false;
  base::Nanoseconds frontier_ = 0;  // the newest t asked for
};

}  // namespace lanescope::workload
