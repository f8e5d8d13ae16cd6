// The arithmetic of pacing: maps wall time to virtual time. Uses no threads and reads no clock.
#pragma once

#include <chrono>

#include "base/time.h"

namespace lanescope::workload {

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

}  // namespace lanescope::workload
