// The arithmetic of pacing: where virtual time stands at a given wall time. Knows no thread and reads no clock.
#pragma once

#include <chrono>

#include "base/time.h"

namespace lanescope::workload {

/// virtual time = anchor + (wall time - wall time at the anchor) * speed; stands still while paused.
class VirtualClock {
 public:
  using WallTime = std::chrono::steady_clock::time_point;
  /// A simulation that has fallen behind by up to this much wall time may catch up; beyond it, time is held back.
  static constexpr std::chrono::milliseconds kSlack{20};

  /// Starts at virtual time 0. Throws base::UsageError unless speed is a positive number.
  VirtualClock(double speed, WallTime now);

  base::Nanoseconds at(WallTime now) const;
  /// When at() will have reached t; WallTime::max() while paused, and never more than an hour from the anchor.
  WallTime when(base::Nanoseconds t) const;

  double speed() const { return speed_; }
  bool paused() const { return paused_; }
  void set_speed(double speed, WallTime now);
  /// Stands still at `t`, or goes on from there.
  void pause(bool paused, base::Nanoseconds t, WallTime now);
  /// The simulation has only come to t by now: if that is too far behind, time goes on from t.
  void hold_back(base::Nanoseconds t, WallTime now);
  /// Goes on from t, wherever it stood.
  void jump(base::Nanoseconds t, WallTime now) { anchor(t, now); }

 private:
  void anchor(base::Nanoseconds t, WallTime now);

  double speed_;
  bool paused_ = false;
  base::Nanoseconds anchor_virtual_ = 0;
  WallTime anchor_wall_;
};

}  // namespace lanescope::workload
