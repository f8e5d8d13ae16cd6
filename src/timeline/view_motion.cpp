#include "timeline/view_motion.h"

#include <cmath>
#include <utility>

namespace lanescope::ui {
namespace {

// Below these speeds, the view stops: pixels, and e-folds, per second.
constexpr double kPanRest = 8;
constexpr double kZoomRest = 0.01;

}  // namespace

// The distance covered in this step. The speed approaches its target as e^(-t / relaxation); the distance is its
// integral.
double ViewMotion::Speed::step(double seconds, double relaxation, bool animated, double rest) {
  if (!animated) relaxation = 0;
  const double target = std::exchange(wanted, 0.0);
  const double before = speed;
  if (relaxation <= 0) {
    speed = 0;
    return target * seconds;
  }
  const double left = std::exp(-seconds / relaxation);
  speed = target + (before - target) * left;
  if (target == 0 && std::abs(speed) < rest) speed = 0;
  return target * seconds + (before - target) * relaxation * (1 - left);
}

void ViewMotion::push(double pan, double zoom, float at_px) {
  flicked_ = false;
  pan_.wanted += pan;
  zoom_.wanted += zoom;
  at_px_ = at_px;
}

void ViewMotion::flick(double pan) {
  stop();
  pan_.speed = pan;
  flicked_ = true;
}

TimeAxis ViewMotion::step(const TimeAxis& axis, double seconds, bool animated) {
  const double pan = pan_.step(seconds, flicked_ ? kFlickSeconds : kAccelerateSeconds, animated, kPanRest);
  const double zoom = zoom_.step(seconds, kAccelerateSeconds, animated, kZoomRest);
  TimeAxis result = axis;
  if (pan != 0) result = result.panned(static_cast<float>(pan));
  if (zoom != 0) result = result.zoomed(std::exp(zoom), at_px_);
  return result;
}

}  // namespace lanescope::ui
