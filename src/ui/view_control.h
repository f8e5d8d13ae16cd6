// Which stretch of time is shown: the three ways to look at a live run, and zoom and pan with their easing.
#pragma once

#include <chrono>
#include <optional>

#include "ui/model.h"
#include "ui/scope/trigger.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

enum class ViewMode : std::uint8_t {
  Roll,     ///< the newest at the right edge
  Trigger,  ///< aligned to the start of an iteration, redrawn a few times a second
  Single,   ///< still
};

/// The instant that a rolling view keeps at its right edge: the live edge. While a call lasts and the live edge stays
/// far behind, it is now instead, so that the wait is seen to grow; and it stays now until the live edge has come near,
/// or does not come. From one to the other it glides.
class FollowedEdge {
 public:
  static constexpr Nanoseconds kFarBehind = 150'000'000;

  Nanoseconds update(Nanoseconds live_edge, Nanoseconds now, bool call_open, double seconds);
  bool follows_now() const { return follows_now_; }
  bool gliding() const { return slack_ != 0; }
  void reset() { *this = {}; }

 private:
  bool follows_now_ = false;
  double since_open_ = 0;  // seconds without an open call
  double slack_ = 0;       // ns between what is shown and what is wanted
};

class ViewControl {
 public:
  using Clock = std::chrono::steady_clock;

  /// Call once per frame, before drawing: follows the run, eases towards where the view is going.
  void update(const Model& model, float left_px, float width_px, Clock::time_point now);

  const TimeAxis& axis() const { return axis_; }
  ViewMode mode() const { return mode_; }
  void set_mode(ViewMode mode);
  /// Back to the mode that a pan or zoom had frozen, at the zoom of now.
  void resume();
  bool frozen_by_hand() const { return mode_ == ViewMode::Single && !armed_; }
  bool armed() const { return armed_; }

  /// While a mouse button is down the picture stands still, so that what is clicked is what was seen.
  void hold(bool held) { held_ = held; }

  // By hand: each freezes the view.
  void zoom(double factor, float at_px);        ///< eased
  void pan(float px);                           ///< at once, as a drag wants it
  void glide(float px);                         ///< eased, as a key wants it
  void show(Nanoseconds from, Nanoseconds to);  ///< eased, with a margin
  void fit(const Model& model);                 ///< everything that is known

  /// What the ruler counts from: the trigger's instant, else the beginning of the run.
  Nanoseconds label_origin() const { return label_origin_; }
  bool moving() const { return target_.has_value(); }
  const TriggerSettings& trigger_settings() const { return trigger_settings_; }
  void set_trigger(const TriggerSettings& settings) {
    trigger_settings_ = settings;
    retrigger();
  }
  /// The trigger looks again as soon as it can (a knob was turned).
  void retrigger();

 private:
  /// The right part of a live view is the edge that is not yet known.
  static constexpr double kEdgeShare = 0.03;

  void place_initially(const Model& model, float left_px, float width_px);
  void roll(const Model& model, double seconds);
  void trigger(const Model& model, Clock::time_point now);
  void freeze();

  TimeAxis axis_;
  FollowedEdge edge_;
  std::optional<TimeAxis> target_;
  ViewMode mode_ = ViewMode::Trigger;
  ViewMode before_freeze_ = ViewMode::Trigger;
  bool held_ = false;
  bool armed_ = false;  // Single: waits for the next trigger, then stands still
  std::uint64_t generation_ = 0;
  bool placed_ = false;
  Nanoseconds label_origin_ = 0;
  Clock::time_point last_update_{}, triggered_{}, hold_until_{};
  std::size_t markers_shown_ = 0;
  TriggerSettings trigger_settings_;
};

}  // namespace lanescope::ui
