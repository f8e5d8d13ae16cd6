// Ties a device's virtual time to the wall clock at a given speed, so that a simulated run can be watched; and holds a
// run while it is paused.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "base/time.h"

namespace lanescope::workload {

// --- virtual clock ---------------------------------------------------------------------------------------------------
// The arithmetic of pacing: maps wall time to virtual time. Uses no threads and reads no clock.

/// virtual time = anchor + (wall time - wall time at the anchor) * speed; stands still while paused.
class VirtualClock {
 public:
  using WallTime = std::chrono::steady_clock::time_point;
  /// A simulation may catch up if it is at most this much wall time behind; otherwise time is held back.
  static constexpr std::chrono::milliseconds kSlack{20};

  /// Starts at virtual time 0. Throws base::UsageError unless speed is a positive number.
  VirtualClock(double speed, WallTime now);

  base::Nanoseconds at(WallTime now) const;
  /// The wall time at which at() reaches t; WallTime::max() while paused, and at most an hour from the anchor.
  WallTime when(base::Nanoseconds t) const;

  double speed() const { return speed_; }
  bool paused() const { return paused_; }
  void set_speed(double speed, WallTime now);
  /// Stops at `t`, or continues from there.
  void pause(bool paused, base::Nanoseconds t, WallTime now);
  /// The simulation has only reached t: if that is too far behind, time continues from t.
  void hold_back(base::Nanoseconds t, WallTime now);
  /// Continues from t, whatever the current time.
  void jump(base::Nanoseconds t, WallTime now) { anchor(t, now); }

 private:
  void anchor(base::Nanoseconds t, WallTime now);

  double speed_;
  bool paused_ = false;
  base::Nanoseconds anchor_virtual_ = 0;
  WallTime anchor_wall_;
};

// --- pacer -----------------------------------------------------------------------------------------------------------

/// The workload's thread calls wait_for(); any thread may call now_ns(), change the speed, pause and stop. Without
/// pacing, wait_for() returns at once.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Waits : std::uint8_t {
    OnItsThread,  ///< wait_for() waits
    InTurns,      ///< it never does: whoever runs the loop goes on with it once due()
  };

  explicit Pacer(bool paced, double speed = 1.0, Waits waits = Waits::OnItsThread);

  /// Returns when virtual time has reached t, or at once if stopped or not paced. May return up to kNap later, so that
  /// a workload with a call every few microseconds does not sleep at each. If the simulation cannot keep up with the
  /// wall clock, virtual time is held back instead of jumping later.
  void wait_for(base::Nanoseconds t);
  static constexpr std::chrono::milliseconds kNap{1};
  /// In turns: true if the next iteration is to begin, because what was simulated so far is over.
  bool due() const;
  /// In turns: the simulation cannot keep up with the wall clock, so time goes on from where it is.
  void hold_back();
  /// The virtual time to display: never beyond the last t of wait_for().
  base::Nanoseconds now_ns() const;
  void set_speed(double speed);  ///< 1 is real time; throws base::UsageError unless positive
  double speed() const;
  void pause(bool paused);
  /// While on, wait_for() does not wait; afterwards, time continues from the newest t. For stretches not worth
  /// watching, such as set-up. Workload's thread only.
  void fast_forward(bool on);
  bool paused() const;
  /// For real-time devices, whose clock cannot be held: returns once the run is not paused, or is stopped.
  void wait_while_paused();
  void stop();  ///< wakes the waiting thread for good
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  base::Nanoseconds seen_at(Clock::time_point wall) const;  // requires the mutex

  const bool paced_;
  const Waits waits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  VirtualClock clock_;
  std::atomic<bool> stopped_{false};  // written with the mutex
  bool fast_ = false;
  base::Nanoseconds frontier_ = 0;  // the newest t of wait_for()
};

}  // namespace lanescope::workload
