// A view that is pushed by a held key, or flicked by a drag: it gathers speed, and glides out.
#pragma once

#include "ui/time_axis.h"

namespace lanescope::ui {

class ViewMotion {
 public:
  static constexpr double kAccelerateSeconds = 0.1;  ///< in this time 1 - 1/e of the wanted speed is there, or gone
  static constexpr double kFlickSeconds = 0.25;      ///< the same of a flick

  /// A key is down: these speeds are wanted until the next step. Pan: pixels per second the content moves right; zoom:
  /// e-fold closer per second, about `at_px`.
  void push(double pan, double zoom, float at_px);
  /// Let go of while the content moved with this speed.
  void flick(double pan);
  void stop() { *this = {}; }
  bool moving() const { return pan_.speed != 0 || zoom_.speed != 0 || pan_.wanted != 0 || zoom_.wanted != 0; }
  /// Where the view is `seconds` later; the same in few long steps as in many short ones.
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
