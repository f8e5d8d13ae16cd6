// From time to pixels and back: the only place where the two meet.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace lanescope::ui {

/// A straight stretch of time on screen. A value: zooming and panning give a new one.
///
/// The left edge is an integer and a fraction of a nanosecond, so that nothing is lost at 2^62 ns and a slow pan at
/// the deepest zoom still moves. The origin is subtracted before anything becomes a float.
class TimeAxis {
 public:
  static constexpr double kMinNsPerPixel = 0.01;
  static constexpr double kMaxSpanNs = 48.0 * 3600e9;
  static constexpr base::Nanoseconds kMaxTime = base::Nanoseconds{3} << 61;  ///< the origin stays within ±kMaxTime
  /// to_px() never leaves the axis by more than this, so that far-off edges are safe to draw.
  static constexpr float kOffscreenPx = 32768.0f;

  TimeAxis() = default;
  TimeAxis(base::Nanoseconds origin_ns, double ns_per_pixel, float left_px, float width_px);

  base::Nanoseconds origin_ns() const { return origin_; }
  double origin_fraction() const { return fraction_; }  ///< of a nanosecond, in [0, 1)
  double ns_per_pixel() const { return ns_per_pixel_; }
  float left_px() const { return left_px_; }
  float width_px() const { return width_px_; }
  float right_px() const { return left_px_ + width_px_; }

  base::Nanoseconds begin_ns() const { return origin_; }  ///< the first visible nanosecond
  base::Nanoseconds end_ns() const;                       ///< one past the last visible
  double span_ns() const { return ns_per_pixel_ * static_cast<double>(width_px_); }

  float to_px(base::Nanoseconds t) const;
  base::Nanoseconds to_ns(float px) const;  ///< the nearest nanosecond
  float length_px(base::Nanoseconds duration) const;
  base::Nanoseconds length_ns(float px) const;  ///< rounded up, at least 0
  bool overlaps(base::Nanoseconds from, base::Nanoseconds to) const { return to > begin_ns() && from < end_ns(); }

  /// factor > 1 shows less time; what is at `at_px` stays there.
  TimeAxis zoomed(double factor, float at_px) const;
  /// The content moves right by `px` (positive shows earlier times).
  TimeAxis panned(float px) const;
  /// Exactly [from, to) over the whole width.
  TimeAxis fitted(base::Nanoseconds from, base::Nanoseconds to) const;
  /// The same zoom with time `t` at `at_px` (roll: the newest at right_px(); trigger: the start of an iteration at
  /// left).
  TimeAxis anchored(base::Nanoseconds t, float at_px) const;
  /// The same left edge and zoom in another place on screen (the window was resized).
  TimeAxis placed(float left_px, float width_px) const;
  TimeAxis with_ns_per_pixel(double ns_per_pixel) const;  ///< keeps the left edge
  /// On the way to another view in the same place on screen: 0 gives this one, 1 the other. The scale goes by its
  /// ratio, and the instant that both show at the same pixel stays there all the way, at any depth.
  TimeAxis towards(const TimeAxis& target, double share) const;
  /// How far right of this left edge the other's begins, in pixels of this one; exact between whole nanoseconds.
  double offset_px(const TimeAxis& other) const;

  friend bool operator==(const TimeAxis&, const TimeAxis&) = default;

 private:
  void clamp_scale();
  void shift(double ns);  ///< moves the origin

  base::Nanoseconds origin_ = 0;
  double fraction_ = 0;
  double ns_per_pixel_ = 1000;
  float left_px_ = 0, width_px_ = 1;
};

struct Tick {
  base::Nanoseconds t = 0;
  float px = 0;
  bool major = false;  ///< minor ticks have no label
  std::string label;
};

/// What a ruler shows. Every label is a whole number of `unit`, counted from the ruler's label origin plus `base`.
struct Ruler {
  std::string unit;  ///< "ns", "µs", "ms" or "s"
  /// Where numbers would be too long: a time to be added to every label, "12.345 s"; else empty. Labels then have a
  /// '+'.
  std::string base;
  base::Nanoseconds step_ns = 0;  ///< between major ticks: 1, 2 or 5 times a power of ten
  std::vector<Tick> ticks;        ///< in order of time, all within the axis
};

/// Ticks at 1-2-5 steps counted from `label_origin`, major ones at least `min_spacing_px` and the width of a label
/// (`character_px` for each character and two to spare) apart.
Ruler make_ruler(const TimeAxis& axis, float min_spacing_px, base::Nanoseconds label_origin, float character_px = 7.3f);

}  // namespace lanescope::ui
