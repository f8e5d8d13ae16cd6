// Converts between time and pixels: the only class that does.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace lanescope::ui {

/// A linear mapping of time to the screen. A value: zooming and panning return a new one.
///
/// The left edge is an integer plus a fraction of a nanosecond, so that nothing is lost at 2^62 ns, and a slow pan at
/// the deepest zoom still moves. The origin is subtracted before converting to float.
class TimeAxis {
 public:
  static constexpr double kMinNsPerPixel = 0.01;
  static constexpr double kMaxSpanNs = 48.0 * 3600e9;
  static constexpr base::Nanoseconds kMaxTime = base::Nanoseconds{3} << 61;  ///< the origin stays within ±kMaxTime
  /// to_px() is clamped to this distance from the axis, so that far edges are safe to draw.
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

  /// factor > 1 zooms in; the time at `at_px` stays there.
  TimeAxis zoomed(double factor, float at_px) const;
  /// Moves the content right by `px` (positive shows earlier times).
  TimeAxis panned(float px) const;
  /// Shows exactly [from, to) over the whole width.
  TimeAxis fitted(base::Nanoseconds from, base::Nanoseconds to) const;
  /// Keeps the zoom and puts time `t` at `at_px` (rolling view: the newest time at right_px(); trigger: the start of an
  /// iteration at the left).
  TimeAxis anchored(base::Nanoseconds t, float at_px) const;
  /// Keeps left edge and zoom at another place on the screen (after a resize).
  TimeAxis placed(float left_px, float width_px) const;
  TimeAxis with_ns_per_pixel(double ns_per_pixel) const;  ///< keeps the left edge
  /// Interpolates towards another view at the same place on the screen: 0 gives this one, 1 the other. Interpolates the
  /// scale geometrically; the time that both show at the same pixel stays there, at any depth.
  TimeAxis towards(const TimeAxis& target, double share) const;
  /// The distance from this left edge to the other's, in pixels of this axis; exact below whole nanoseconds.
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

/// The contents of a ruler. Every label is an integer multiple of `unit`, relative to the ruler's label origin plus
/// `base`.
struct Ruler {
  std::string unit;  ///< "ns", "µs", "ms" or "s"
  /// If numbers would be too long, a time to add to every label, "12.345 s"; labels then begin with '+'. Otherwise
  /// empty.
  std::string base;
  base::Nanoseconds step_ns = 0;  ///< between major ticks: 1, 2 or 5 times a power of ten
  std::vector<Tick> ticks;        ///< in time order, all within the axis
};

/// Ticks at 1-2-5 steps relative to `label_origin`. Major ones are at least `min_spacing_px` and the width of a label
/// (`character_px` per character, with two to spare) apart.
Ruler make_ruler(const TimeAxis& axis, float min_spacing_px, base::Nanoseconds label_origin, float character_px = 7.3f);

}  // namespace lanescope::ui
