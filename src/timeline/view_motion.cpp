#include "timeline/view_motion.h"

#include <cmath>
#include <utility>

namespace lanescope::ui {

bool ViewHistory::alike(const TimeAxis& a, const TimeAxis& b) {
  const double spans = (b.span_ns() - a.span_ns()) / a.ns_per_pixel();
  const double begins = a.offset_px(b);
  return std::abs(begins) < 0.5 && std::abs(begins + spans) < 0.5;
}

void ViewHistory::see(const TimeAxis& view, Clock::time_point now) {
  if (since_ == Clock::time_point{} || !(view == seen_)) {
    seen_ = view;
    since_ = now;
    return;
  }
  if (now - since_ >= kStands) leave(view);
}

void ViewHistory::leave(const TimeAxis& view) {
  if (!views_.empty() && alike(views_[at_], view)) return;
  if (!views_.empty()) views_.resize(at_ + 1, view);
  views_.push_back(view);
  if (views_.size() > kMost) views_.erase(views_.begin());
  at_ = views_.size() - 1;
}

bool ViewHistory::can_go_back(const TimeAxis& current) const {
  return !views_.empty() && (at_ > 0 || !alike(views_[at_], current));
}

bool ViewHistory::can_go_forward(const TimeAxis& current) const {
  return at_ + 1 < views_.size() && alike(views_[at_], current);
}

std::optional<TimeAxis> ViewHistory::back(const TimeAxis& current) {
  if (!can_go_back(current)) return std::nullopt;
  leave(current);
  return views_[--at_];
}

std::optional<TimeAxis> ViewHistory::forward(const TimeAxis& current) {
  if (!can_go_forward(current)) return std::nullopt;
  return views_[++at_];
}

// --- view motion -----------------------------------------------------------------------------------------------------

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
