// Decides which time range is shown: the three ways to view a live run, and zoom and pan with their easing.
#pragma once

#include <chrono>
#include <optional>

#include "inspect/trigger.h"
#include "model/model.h"
#include "timeline/time_axis.h"
#include "timeline/view_motion.h"

namespace lanescope::ui {

enum class ViewMode : std::uint8_t {
  Roll,     ///< the newest at the right edge
  Trigger,  ///< a typical iteration, from its start; another one a few times a second
  Single,   ///< still
};

/// Where a live view of a loop goes by itself: an experiment's view.
struct ViewGoal {
  TriggerSettings trigger;  ///< chooses the iteration; the view starts at its start all the same
  double iterations = 1;    ///< the view holds so many, of the slower of the two that are compared
};

struct ShownIteration {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::int64_t number = 0;  ///< from 1; 0: not numbered

  Nanoseconds duration() const { return end_ns - start_ns; }
};

/// The instant that a rolling view keeps at its right edge: normally the live edge. While a call is open and the live
/// edge is far behind, it is the present, so that the wait visibly grows; it stays the present until the live edge has
/// come near or has failed to come. It glides from one to the other.
class FollowedEdge {
 public:
  static constexpr Nanoseconds kFarBehind = 150'000'000;

  Nanoseconds update(Nanoseconds live_edge, Nanoseconds now, bool call_open, double seconds);
  bool follows_now() const { return follows_now_; }
  bool gliding() const { return slack_ != 0; }
  void reset() { *this = {}; }

 private:
  bool follows_now_ = false;
  double since_open_ = 0;  // seconds since a call was last open
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
  /// Returns to the mode before a pan or zoom froze the view, keeping the current zoom; ends stays().
  void resume();
  bool frozen_by_hand() const { return mode_ == ViewMode::Single && !armed_; }
  /// The picture of one iteration stands: the first one that is typical after a knob was turned, or one that was asked
  /// for.
  bool stays() const { return mode_ == ViewMode::Trigger && stays_; }
  bool armed() const { return armed_; }

  /// While a mouse button is down the picture does not move, so that a click hits what the user saw.
  void hold(bool held) { held_ = held; }

  /// Off: eased movements happen at once.
  void set_animated(bool animated) { animated_ = animated; }
  /// Zooming and gliding take three times as long, so that an audience can follow.
  void set_calm(bool calm) { calm_ = calm; }

  /// Uses its trigger, and keeps the scale. Empty: the user's own trigger. After the user has moved the view or its
  /// trigger by hand, a goal is only remembered.
  void set_goal(const std::optional<ViewGoal>& goal);
  /// Fits the iterations, eased, as soon as the run's pace is known, even if the user has moved the view.
  void go_to_goal();
  /// How long an iteration of the run takes that is drawn below the lanes; 0: there is none. The scale is that of the
  /// slower one, and changes by itself only if the longer iteration takes more than 90 % of the view.
  void compare_with(double other_ns) { other_ns_ = other_ns; }
  /// By how much the view became wider by itself since a knob was last turned; 1: not at all.
  double refit() const { return turned_ && !by_hand_ ? axis_.span_ns() / span_at_turn_ : 1; }
  /// The iteration that the view starts with; of a view moved by hand, the one at the place of that start.
  const std::optional<ShownIteration>& shown_iteration() const { return shown_iteration_; }
  /// Goes to an iteration and stays there. The scale stays if the iteration fits.
  void show_iteration(Nanoseconds from, Nanoseconds to);
  /// The x position where the shown iteration starts.
  float start_px() const { return axis_.left_px() + kLead * axis_.width_px(); }
  bool has_goal() const { return goal_.has_value(); }
  /// The user has moved the view, or chosen a trigger, since the goal was first set or gone to.
  bool moved_by_hand() const { return by_hand_; }
  /// How often the user has moved the view.
  std::uint64_t moves_by_hand() const { return moves_by_hand_; }

  // User input: each call freezes the view. Part of the run stays in view, and the whole run never gets narrower than a
  // tenth of the view.
  void zoom(double factor, float at_px);  ///< eased
  void pan(float px);                     ///< at once, as a drag needs it
  void glide(float px);                   ///< eased
  void stop();                            ///< stops all movement at the current view
  /// A key is held: see ViewMotion. Call every frame while it is.
  void push(double pan, double zoom, float at_px);
  void flick(double pan);
  /// Shows exactly this time range, at once, as the overview strip of the whole run needs it.
  void place(Nanoseconds from, Nanoseconds to);
  /// Zooms out, eased, so that the current view fits between x0 and x1: a drag that zooms out.
  void shrink_into(float x0, float x1);
  /// Pans, eased, to bring the range into view; does nothing if the range is in view or fills the view already.
  void reveal(Nanoseconds from, Nanoseconds to);
  /// Continues to a view that destination() returned, after the movement was stopped.
  void go_on_to(const TimeAxis& destination);

  // Jumps, eased; the view they start from is added to the history.
  void show(Nanoseconds from, Nanoseconds to);  ///< with a margin of an eighth on both sides
  void show_exactly(Nanoseconds from, Nanoseconds to);
  void centre(Nanoseconds t);                        ///< at the same zoom
  void look_at(Nanoseconds middle, double span_ns);  ///< a bookmark's view
  void fit(const Model& model);                      ///< everything known so far
  void leave();                                      ///< adds the view to the history, before an immediate jump

  /// Goes to the previous or next view in the history; false if there is none.
  bool back();
  bool forward();
  const ViewHistory& history() const { return history_; }
  /// The view that the animation is heading for; otherwise the current view.
  TimeAxis destination() const { return target_ ? *target_ : axis_; }
  /// The run's extent, as of the last update().
  std::pair<Nanoseconds, Nanoseconds> extent() const { return extent_; }

  /// The ruler's origin: the trigger's instant; the beginning of the run if there is none, or if the view has gone far
  /// away from it.
  Nanoseconds label_origin() const;
  bool moving() const { return target_ || motion_.moving(); }
  const TriggerSettings& trigger_settings() const { return trigger_settings_; }
  /// Takes effect at once: a live view that was not following the trigger starts to.
  void set_trigger(const TriggerSettings& settings);
  /// The one that the user chose; an experiment may show another meanwhile.
  const TriggerSettings& own_trigger() const { return own_trigger_; }
  /// The trigger looks again as soon as it can (a knob was turned).
  void retrigger();
  /// The instant that the picture is aligned to; none while the view rolls, and for a file unless align_still() is in
  /// use.
  std::optional<Nanoseconds> trigger_instant() const { return shown_trigger_; }
  /// The newest instants that have a complete picture, oldest first: the starts of iterations that the trigger has
  /// chosen; of a source without iterations, when it fired.
  const std::vector<Nanoseconds>& fired() const { return starts_.empty() ? watch_.fired() : starts_; }
  /// For an opened trace, so that pictures can be overlaid: chooses an instant in view, and makes fired() list the
  /// instants around it. If too few pictures fit into the trace at this zoom, the view zooms in. Call every frame: when
  /// the instant has left the view, another one is chosen. False: the trigger never fires.
  bool align_still(const Model& model, std::size_t pictures);
  /// Ends align_still().
  void leave_still();
  /// Nothing has fired for two seconds, so the view rolls until the trigger fires.
  bool auto_rolling() const { return mode_ == ViewMode::Trigger && auto_rolling_; }
  /// A picture taken by Single has begun or is complete.
  bool single_shot() const { return mode_ == ViewMode::Single && shot_.has_value(); }

 private:
  /// The share of a live view right of the live edge, where nothing is known yet.
  static constexpr double kEdgeShare = 0.03;

  /// The share of the view before the shown iteration, and of one that was fitted.
  static constexpr float kLead = 0.0532f;
  static constexpr double kFill = 0.8634, kFull = 0.9;

  void place_initially(const Model& model, float left_px, float width_px);
  void fit_iterations(const Model& model, double seconds);
  std::optional<double> typical_ns(const Model& model) const;
  std::optional<ShownIteration> choose(const Model& model, bool any);
  bool shows_iterations(const Model& model) const;
  void look_up_iteration(const Model& model);
  void begin_turn();
  void use_trigger(const TriggerSettings& settings);
  void change_mode(ViewMode mode);
  void roll(const Model& model, double seconds);
  void trigger(const Model& model, double seconds, Clock::time_point now);
  void take_single(const Model& model);
  void align(Nanoseconds instant);
  void close_in(std::size_t pictures);
  Nanoseconds after_trigger() const;  // how much of a picture after the instant must be known
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
  bool calm_ = false;
  bool live_ = false;
  ViewMode mode_ = ViewMode::Trigger;
  ViewMode before_freeze_ = ViewMode::Trigger;
  bool held_ = false;
  bool armed_ = false;  // Single: waits for the next trigger, then freezes
  std::uint64_t generation_ = 0;
  bool placed_ = false;
  Nanoseconds label_origin_ = 0;
  Clock::time_point last_update_{}, triggered_{};
  std::size_t markers_shown_ = 0;
  TriggerSettings trigger_settings_, own_trigger_;
  std::optional<ViewGoal> goal_;
  bool goes_ = false;  // on the way to its scale
  double other_ns_ = 0, span_at_turn_ = 0;
  bool turned_ = false;   // a knob was turned since the goal was gone to: a change of the scale is said
  bool settles_ = false;  // a knob was turned: stays at the first typical iteration
  bool stays_ = false;
  std::optional<ShownIteration> shown_iteration_;
  std::vector<Nanoseconds> starts_;
  bool by_hand_ = false;  // the goal no longer holds
  std::uint64_t moves_by_hand_ = 0;
  TriggerWatch watch_;
  std::optional<Nanoseconds> shown_trigger_;
  std::optional<Nanoseconds> armed_from_, shot_;  // Single: earliest trigger that counts; the one taken
  std::optional<Nanoseconds> newest_fired_;
  double idle_seconds_ = 0;  // running time since the trigger last fired anew
  bool auto_rolling_ = false;
};

}  // namespace lanescope::ui
