// What the mouse is doing on the timeline between a press and its release.
#pragma once

#include <chrono>
#include <optional>

#include "ui/timeline.h"

namespace lanescope::ui {

enum class DragKind : std::uint8_t {
  None,
  Pan,
  Range,      ///< selects a stretch of time, and the lanes that it touches
  RangeEdge,  ///< moves one edge of the selected stretch
  ZoomIn,     ///< to the dragged stretch
  ZoomOut,    ///< the view into the dragged stretch
};

struct TimelineDrag {
  DragKind kind = DragKind::None;
  int button = 0;
  bool moved = false;                    ///< far enough to be a drag, not a click
  bool cancelled = false;                ///< by Escape: nothing happens until the button is up
  bool second = false;                   ///< the second press of a double click: its release selects nothing
  bool all_lanes = false;                ///< it began on the ruler
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< where it began, and where it is
  base::Nanoseconds anchor = 0;          ///< Range: where it began; RangeEdge: the edge that stays
  bool snapped = false;                  ///< what is at (x1, y1) is an event's edge
  Selection before;                      ///< what Escape brings back
  float speed = 0;                       ///< Pan: of the pointer, in pixels per second

  /// Escape: true when there was something to cancel.
  bool cancel() {
    const bool active = kind != DragKind::None && moved && !cancelled;
    cancelled = cancelled || active;
    return active;
  }
};

/// Events of the wheel less than 200 ms apart are one gesture: it keeps the axis with which it began, so that a
/// trackpad never mixes zooming with panning.
class WheelGesture {
 public:
  enum class Kind : std::uint8_t { None, Zoom, Pan, ScrollLanes };
  static constexpr std::chrono::milliseconds kPause{200};

  Kind feel(float horizontal, float vertical, bool over_lanes, bool zoom_key,
            std::chrono::steady_clock::time_point now) {
    if (kind_ == Kind::None || now - last_ >= kPause || zoom_key != zoom_key_) {
      const bool sideways = (horizontal < 0 ? -horizontal : horizontal) > (vertical < 0 ? -vertical : vertical);
      kind_ = zoom_key && over_lanes ? Kind::Zoom : sideways ? Kind::Pan : over_lanes ? Kind::Zoom : Kind::ScrollLanes;
      zoom_key_ = zoom_key;
    }
    last_ = now;
    return kind_;
  }

 private:
  Kind kind_ = Kind::None;
  bool zoom_key_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// The lanes' scroll position, eased.
struct LaneScroll {
  std::optional<float> target;

  /// By `pixels` from where it is going to.
  void by(float now, float pixels) { target = target.value_or(now) + pixels; }
  /// The position after `seconds`, within [0, overflow].
  float step(float now, float overflow, double seconds, bool animated);
};

}  // namespace lanescope::ui
