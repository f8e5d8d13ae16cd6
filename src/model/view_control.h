// Which stretch of time is shown: the three ways to look at a live run, and zoom and pan with their easing.
#pragma once

#include <chrono>
#include <optional>

#include "inspect/trigger.h"
#include "model/model.h"
#include "timeline/time_axis.h"
#include "timeline/view_history.h"
#include "timeline/view_motion.h"

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

  /// Off: whatever is eased happens at once.
  void set_animated(bool animated) { animated_ = animated; }

  // By hand: each freezes the view. A part of the run stays in view, and it never gets narrower than a tenth of it.
  void zoom(double factor, float at_px);  ///< eased
  void pan(float px);                     ///< at once, as a drag wants it
  void glide(float px);                   ///< eased
  void stop();                            ///< whatever moves, here
  /// A key is held: see ViewMotion. Call every frame while it is.
  void push(double pan, double zoom, float at_px);
  void flick(double pan);
  /// At once exactly this stretch, as the strip of the whole run wants it.
  void place(Nanoseconds from, Nanoseconds to);
  /// The whole of the view into this part of the screen, eased: what a drag zooms out by.
  void shrink_into(float x0, float x1);
  /// Pans, eased, so that the stretch is in view; nothing where it is, or where it fills the view already.
  void reveal(Nanoseconds from, Nanoseconds to);
  /// Goes on to a view that destination() gave, after something has stopped it.
  void go_on_to(const TimeAxis& destination);

  // Jumps, eased; the view that they leave enters the history.
  void show(Nanoseconds from, Nanoseconds to);  ///< with a margin of an eighth on both sides
  void show_exactly(Nanoseconds from, Nanoseconds to);
  void centre(Nanoseconds t);                        ///< at the same zoom
  void look_at(Nanoseconds middle, double span_ns);  ///< a bookmark's view
  void fit(const Model& model);                      ///< everything that is known
  void leave();                                      ///< the view enters the history: a jump at once begins

  /// The view before in the history, or after; false: there is none.
  bool back();
  bool forward();
  const ViewHistory& history() const { return history_; }
  /// Where the view is going to, or is.
  TimeAxis destination() const { return target_ ? *target_ : axis_; }
  /// The run, as of the last update().
  std::pair<Nanoseconds, Nanoseconds> extent() const { return extent_; }

  /// What the ruler counts from: the trigger's instant, else the beginning of the run.
  Nanoseconds label_origin() const { return label_origin_; }
  bool moving() const { return target_ || motion_.moving(); }
  const TriggerSettings& trigger_settings() const { return trigger_settings_; }
  /// Takes effect at once: a live view that does not follow the trigger begins to.
  void set_trigger(const TriggerSettings& settings);
  /// The trigger looks again as soon as it can (a knob was turned).
  void retrigger();
  /// The instant that the picture is aligned to; none while it rolls, and of a file.
  std::optional<Nanoseconds> trigger_instant() const { return shown_trigger_; }
  /// Where that instant stands in a triggered picture.
  float trigger_px() const;
  /// The newest instants at which the trigger has fired and from which a whole picture is known, oldest first.
  const std::vector<Nanoseconds>& fired() const { return watch_.fired(); }
  /// Of an opened trace, so that pictures can be laid over each other: the instant of the picture that is looked at,
  /// and about it what fired() says. Where too few pictures fit into the trace at this zoom, the view closes in. Call
  /// every frame: when the instant has left the view, another one is taken. False: nothing fires.
  bool align_still(const Model& model, std::size_t pictures);
  /// No longer.
  void leave_still();
  /// Nothing has fired for two seconds, so the picture rolls on until something does.
  bool auto_rolling() const { return mode_ == ViewMode::Trigger && auto_rolling_; }
  /// A picture taken by Single has begun, or stands.
  bool single_shot() const { return mode_ == ViewMode::Single && shot_.has_value(); }

 private:
  /// The right part of a live view is the edge that is not yet known.
  static constexpr double kEdgeShare = 0.03;

  void place_initially(const Model& model, float left_px, float width_px);
  void roll(const Model& model, double seconds);
  void trigger(const Model& model, double seconds, Clock::time_point now);
  void take_single(const Model& model);
  void align(Nanoseconds instant);
  void close_in(std::size_t pictures);
  Nanoseconds after_trigger() const;  // how much of a picture lies behind the instant and must be known
  void stop_triggering();
  void freeze();
  void move(double seconds);
  void jump_to(const TimeAxis& target);
  double widest_ns_per_pixel() const;
  TimeAxis bounded(const TimeAxis& wanted, const TimeAxis& before) const;

  TimeAxis axis_;
  FollowedEdge edge_;
  std::optional<TimeAxis> target_;
  ViewMotion motion_;
  ViewHistory history_;
  std::pair<Nanoseconds, Nanoseconds> extent_{};
  bool animated_ = true;
  bool live_ = false;
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
  TriggerWatch watch_;
  std::optional<Nanoseconds> shown_trigger_;
  std::optional<Nanoseconds> armed_from_, shot_;  // Single: what came later counts; what came
  std::optional<Nanoseconds> newest_fired_;
  double idle_seconds_ = 0;  // since something new has fired, while the run went on
  bool auto_rolling_ = false;
};

}  // namespace lanescope::ui
