// A view moved by a held key or flicked by a drag: it accelerates and glides to a stop.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "timeline/time_axis.h"

namespace lanescope::ui {

// --- view history ----------------------------------------------------------------------------------------------------
// The user's previous views, for going back and forward.

/// A view is recorded when it has not moved for a while, or when a jump leaves it. A new one removes those that the
/// user has gone back from.
class ViewHistory {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStands{400};
  static constexpr std::size_t kMost = 100;

  /// Call once per frame with the current view; a moving view differs each time.
  void see(const TimeAxis& view, Clock::time_point now);
  /// A jump leaves this view: records it, however briefly it was shown.
  void leave(const TimeAxis& view);
  /// The previous or next view. `current` is the view's position or its target. Records a view that is not recorded
  /// yet, so that the user can return to it.
  std::optional<TimeAxis> back(const TimeAxis& current);
  std::optional<TimeAxis> forward(const TimeAxis& current);
  bool can_go_back(const TimeAxis& current) const;
  bool can_go_forward(const TimeAxis& current) const;

  std::size_t size() const { return views_.size(); }
  void reset() { *this = {}; }

  /// True if they look the same: less than half a pixel apart, in windows of any width.
  static bool alike(const TimeAxis& a, const TimeAxis& b);

 private:
  std::vector<TimeAxis> views_;
  std::size_t at_ = 0;  // index of the view recorded or visited last
  TimeAxis seen_;
  Clock::time_point since_{};
};

// --- view motion -----------------------------------------------------------------------------------------------------

class ViewMotion {
 public:
  static constexpr double kAccelerateSeconds = 0.1;  ///< time constant of acceleration and braking
  static constexpr double kFlickSeconds = 0.25;      ///< time constant of a flick

  /// A key is down: sets the target speeds until the next step. `pan` is the content's speed to the right in pixels per
  /// second, `zoom` is in e-folds per second about `at_px`, positive for zooming in.
  void push(double pan, double zoom, float at_px);
  /// The mouse was released while the content moved at this speed.
  void flick(double pan);
  void stop() { *this = {}; }
  bool moving() const { return pan_.speed != 0 || zoom_.speed != 0 || pan_.wanted != 0 || zoom_.wanted != 0; }
  /// The view after `seconds`; the result does not depend on how the time is divided into steps.
  TimeAxis step(const TimeAxis& axis, double seconds, bool animated);

 private:
  struct Speed {
    double speed = 0, wanted = 0;
    double step(double seconds, double relaxation, bool animated, double rest);
  };
  Speed pan_, zoom_;
  float at_px_ = 0;
  bool flicked_ = false;
};

}  // namespace lanescope::ui
