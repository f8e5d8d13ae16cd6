// A view moved by a held key or flicked by a drag: it accelerates and glides to a stop.
#pragma once

#include "timeline/time_axis.h"

namespace lanescope::ui {

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
