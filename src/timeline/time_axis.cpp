#include "timeline/time_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lanescope::ui {
namespace {

using base::Nanoseconds;

/// a - b as a double; precision does not matter if it exceeds 64 bits, because it is far off the screen.
double difference(Nanoseconds a, Nanoseconds b) {
  Nanoseconds result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return static_cast<double>(result);
  return static_cast<double>(a) - static_cast<double>(b);
}

Nanoseconds saturated(double ns) {
  constexpr double kLimit = 9.2e18;
  if (!(ns > -kLimit)) return std::numeric_limits<Nanoseconds>::min();
  if (ns > kLimit) return std::numeric_limits<Nanoseconds>::max();
  return static_cast<Nanoseconds>(ns);
}

Nanoseconds saturated_sum(Nanoseconds a, Nanoseconds b) {
  Nanoseconds result = 0;
  if (!__builtin_add_overflow(a, b, &result)) return result;
  return b < 0 ? std::numeric_limits<Nanoseconds>::min() : std::numeric_limits<Nanoseconds>::max();
}

}  // namespace

TimeAxis::TimeAxis(Nanoseconds origin_ns, double ns_per_pixel, float left_px, float width_px)
    : origin_(std::clamp(origin_ns, -kMaxTime, kMaxTime)),
      ns_per_pixel_(ns_per_pixel),
      left_px_(left_px),
      width_px_(std::max(width_px, 1.0f)) {
  clamp_scale();
}

void TimeAxis::clamp_scale() {
  const double widest = kMaxSpanNs / static_cast<double>(width_px_);
  if (!(ns_per_pixel_ > kMinNsPerPixel)) ns_per_pixel_ = kMinNsPerPixel;  // also handles NaN
  ns_per_pixel_ = std::min(ns_per_pixel_, widest);
}

void TimeAxis::shift(double ns) {
  if (std::isnan(ns)) return;
  const double total = fraction_ + ns;
  const double whole = std::floor(total);
  fraction_ = total - whole;
  origin_ = saturated_sum(origin_, saturated(whole));
  if (fraction_ >= 1.0) {  // a value just below 1 may round up to it
    fraction_ = 0;
    origin_ = saturated_sum(origin_, 1);
  }
  if (origin_ < -kMaxTime || origin_ >= kMaxTime) {
    origin_ = std::clamp(origin_, -kMaxTime, kMaxTime);
    fraction_ = 0;
  }
}

Nanoseconds TimeAxis::end_ns() const { return saturated_sum(origin_, saturated(std::ceil(fraction_ + span_ns()))); }

float TimeAxis::to_px(Nanoseconds t) const {
  const double px = (difference(t, origin_) - fraction_) / ns_per_pixel_;
  const double far_px = static_cast<double>(kOffscreenPx);
  return left_px_ + static_cast<float>(std::clamp(px, -far_px, static_cast<double>(width_px_) + far_px));
}

Nanoseconds TimeAxis::to_ns(float px) const {
  const double ns = fraction_ + static_cast<double>(px - left_px_) * ns_per_pixel_;
  return saturated_sum(origin_, saturated(std::floor(ns + 0.5)));
}

float TimeAxis::length_px(Nanoseconds duration) const {
  return static_cast<float>(static_cast<double>(duration) / ns_per_pixel_);
}

Nanoseconds TimeAxis::length_ns(float px) const {
  return saturated(std::ceil(std::max(0.0, static_cast<double>(px) * ns_per_pixel_)));
}

TimeAxis TimeAxis::zoomed(double factor, float at_px) const {
  TimeAxis result = *this;
  if (!(factor > 0)) return result;
  result.ns_per_pixel_ = ns_per_pixel_ / factor;
  result.clamp_scale();
  result.shift(static_cast<double>(at_px - left_px_) * (ns_per_pixel_ - result.ns_per_pixel_));
  return result;
}

TimeAxis TimeAxis::panned(float px) const {
  TimeAxis result = *this;
  result.shift(-static_cast<double>(px) * ns_per_pixel_);
  return result;
}

TimeAxis TimeAxis::fitted(Nanoseconds from, Nanoseconds to) const {
  TimeAxis result = *this;
  const double length = std::max(0.0, difference(to, from));
  if (length > 0) result.ns_per_pixel_ = length / static_cast<double>(width_px_);
  result.clamp_scale();
  result.origin_ = std::clamp(from, -kMaxTime, kMaxTime);
  result.fraction_ = 0;
  const double spare = result.span_ns() - length;
  // If the zoom limit leaves extra space, splits it between both sides; ignores rounding errors.
  if (std::abs(spare) > 1e-9 * result.span_ns()) result.shift(-spare / 2);
  return result;
}

TimeAxis TimeAxis::anchored(Nanoseconds t, float at_px) const {
  TimeAxis result = *this;
  result.origin_ = std::clamp(t, -kMaxTime, kMaxTime);
  result.fraction_ = 0;
  result.shift(-static_cast<double>(at_px - left_px_) * ns_per_pixel_);
  return result;
}

TimeAxis TimeAxis::placed(float left_px, float width_px) const {
  TimeAxis result = *this;
  result.left_px_ = left_px;
  result.width_px_ = std::max(width_px, 1.0f);
  result.clamp_scale();
  return result;
}

TimeAxis TimeAxis::with_ns_per_pixel(double ns_per_pixel) const {
  TimeAxis result = *this;
  result.ns_per_pixel_ = ns_per_pixel;
  result.clamp_scale();
  return result;
}

TimeAxis TimeAxis::towards(const TimeAxis& target, double share) const {
  const double ratio = std::log(target.ns_per_pixel_ / ns_per_pixel_);
  // How far the left edge has moved when the scale has covered `share` of its ratio.
  const double moved = std::abs(ratio) > 1e-9 ? std::expm1(share * ratio) / std::expm1(ratio) : share;
  TimeAxis result = *this;
  result.ns_per_pixel_ = ns_per_pixel_ * std::exp(share * ratio);
  result.clamp_scale();
  result.shift((difference(target.origin_, origin_) + (target.fraction_ - fraction_)) * moved);
  return result;
}

double TimeAxis::offset_px(const TimeAxis& other) const {
  return (difference(other.origin_, origin_) + (other.fraction_ - fraction_)) / ns_per_pixel_;
}

}  // namespace lanescope::ui
