// The state of the mouse on the timeline between press and release.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "timeline/timeline.h"

namespace lanescope::ui {

enum class DragKind : std::uint8_t {
  None,
  Pan,
  Range,      ///< selects a stretch of time, and the lanes that it covers
  RangeEdge,  ///< moves one edge of the selected stretch
  ZoomIn,     ///< to the dragged stretch
  ZoomOut,    ///< shrinks the view to the dragged stretch
  Wait,       ///< takes a wait off its lane, to see the iteration without it
};

struct TimelineDrag {
  DragKind kind = DragKind::None;
  int button = 0;
  bool moved = false;                    ///< far enough to be a drag instead of a click
  bool cancelled = false;                ///< by Escape: nothing happens until the button is released
  bool second = false;                   ///< the second press of a double click: its release selects nothing
  bool all_lanes = false;                ///< started on the ruler
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< start and current position
  base::Nanoseconds anchor = 0;          ///< Range: the start; RangeEdge: the edge that stays
  bool snapped = false;                  ///< (x1, y1) is at an event's edge
  Selection before;                      ///< restored by Escape
  Pane pane = Pane::Cpu;                 ///< where it started
  float speed = 0;                       ///< Pan: speed of the pointer in pixels per second
  std::optional<EventRef> wait;          ///< Pan, Wait: the call in whose waiting part it started
  Rect block;                            ///< Wait: that part, where it was drawn
  float lane_height = 0;                 ///< Wait: by so much it is off its lane

  bool off_lane() const { return kind == DragKind::Wait && std::abs(y1 - y0) >= lane_height; }
  /// Handles Escape; true if there was something to cancel.
  bool cancel() {
    const bool active = kind != DragKind::None && moved && !cancelled;
    cancelled = cancelled || active;
    return active;
  }
};

/// Wheel events less than 200 ms apart form one gesture, which keeps its initial kind, so that a trackpad never mixes
/// zooming and panning.
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

/// The lanes' scroll position, with easing.
struct LaneScroll {
  std::optional<float> target;

  /// Scrolls by `pixels` relative to the target.
  void by(float now, float pixels) { target = target.value_or(now) + pixels; }
  /// The position after `seconds`, within [0, overflow].
  float step(float now, float overflow, double seconds, bool animated);
};

inline float LaneScroll::step(float now, float overflow, double seconds, bool animated) {
  constexpr double kEaseSeconds = 0.06;
  if (!target) return std::clamp(now, 0.0f, overflow);
  target = std::clamp(*target, 0.0f, overflow);
  const float left = *target - now;
  if (!animated || std::abs(left) < 0.5f) return *std::exchange(target, std::nullopt);
  return now + left * static_cast<float>(1 - std::exp(-std::min(seconds, 0.05) / kEaseSeconds));
}

// --- snap ------------------------------------------------------------------------------------------------------------
// Snaps times near the pointer to edges of events, for measuring.

struct Snapped {
  Nanoseconds at = 0;
  EventRef event;
  bool end = false;  ///< the event's end; otherwise its start
};

inline constexpr float kSnapPx = 6;

/// The start or end of an event nearest to `x`, within `reach` pixels. Considers all sub-rows of the lane at height `y`
/// or, if there is no lane (on the ruler), all visible lanes. Costs one search per sub-row.
std::optional<Snapped> snap(const trace::Trace& trace, const Timeline& timeline, const TimeAxis& axis, float x, float y,
                            float reach = kSnapPx);
/// The same for one lane.
std::optional<Snapped> snap_on(const trace::Trace& trace, trace::LaneId lane, const TimeAxis& axis, float x,
                               float reach = kSnapPx);

}  // namespace lanescope::ui
