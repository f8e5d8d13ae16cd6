#include "model/timeline/view_control.h"

#include <algorithm>
#include <cmath>

#include "inspect/neighbours.h"

namespace lanescope::ui {
namespace {

// How many iterations are shown when the average of an opened trace begins.
constexpr double kIterationsAtFirst = 3.2;
// An iteration is typical if its length is that of the median of so many, give or take this share.
constexpr std::size_t kTypicalOf = 100, kMostStarts = 256;
constexpr double kTypical = 0.02;
// Easing: the distance left shrinks by e in this time.
constexpr double kViewEaseSeconds = 0.06, kCalmEaseSeconds = 0.18;
// To an experiment's view, slow enough to be followed.
constexpr double kGoalSeconds = 0.15;
// So many iterations, each taking at least so long, are a slow loop.
constexpr std::size_t kSlowLoop = 3;
constexpr Nanoseconds kSlowNs = 100'000'000;
// The longest animation step: a window that was asleep does not jump when it wakes.
constexpr double kLongestStep = 0.05;
// How much of the run stays in view, in pixels, and how narrow the whole run may become, as a share of the view's
// width.
constexpr float kSliverPx = 40;
constexpr double kLeastShare = 0.1;
// The widest view of a run that has just begun, in ns.
constexpr double kWidestAtFirst = 10e6;
// After the last open call has ended, the view waits at most this long for the live edge.
constexpr double kPatienceSeconds = 2;
// A triggered picture stays for this long: "a few times a second", slow enough to read.
constexpr std::chrono::milliseconds kTriggerPeriod{300};
// An automatic trigger lets the picture roll after this long without firing.
constexpr double kTriggerPatienceSeconds = 2;
constexpr Nanoseconds kEver = std::numeric_limits<Nanoseconds>::min();
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

bool moves(const Model& model) { return !model.paused() && model.running(); }

}  // namespace

Nanoseconds FollowedEdge::update(Nanoseconds live_edge, Nanoseconds now, bool call_open, double seconds) {
  since_open_ = call_open ? 0 : since_open_ + seconds;
  const bool goes_on = follows_now_ && since_open_ < kPatienceSeconds;
  const bool wanted = now - live_edge > kFarBehind && (call_open || goes_on);
  if (wanted != follows_now_) {
    slack_ += static_cast<double>(wanted ? live_edge - now : now - live_edge);
    follows_now_ = wanted;
  } else {
    slack_ *= std::exp(-seconds / kViewEaseSeconds);
    if (std::abs(slack_) < 1000) slack_ = 0;
  }
  return (follows_now_ ? now : live_edge) + static_cast<Nanoseconds>(slack_);
}

void ViewControl::set_mode(ViewMode mode) {
  if (mode != ViewMode::Trigger) {
    by_hand_ = true;
    goes_ = false;
  }
  change_mode(mode);
}

void ViewControl::change_mode(ViewMode mode) {
  armed_ = mode == ViewMode::Single;
  if (mode != ViewMode::Single) before_freeze_ = mode;
  mode_ = mode;
  triggered_ = {};
  stays_ = settles_ = false;
  stop_triggering();
  edge_.reset();
  target_.reset();
  motion_.stop();
}

void ViewControl::resume() {
  if (mode_ == ViewMode::Single || stays_) change_mode(before_freeze_);
}

void ViewControl::freeze() {
  ++moves_by_hand_;
  placed_ = by_hand_ = true;  // the user has chosen the view
  goes_ = false;
  if (mode_ != ViewMode::Single) before_freeze_ = mode_;
  mode_ = ViewMode::Single;
  armed_ = false;
}

void ViewControl::set_goal(const std::optional<ViewGoal>& goal) {
  goal_ = goal;
  if (!goal) {
    goes_ = false;
    use_trigger(own_trigger_);
  } else if (!by_hand_) {
    use_trigger(goal_->trigger);
  }
}

void ViewControl::go_to_goal() {
  by_hand_ = turned_ = false;
  goes_ = true;
  change_mode(ViewMode::Trigger);
  if (goal_) use_trigger(goal_->trigger);
}

// How long the shown iteration takes, once the pace since the last knob is known.
std::optional<double> ViewControl::typical_ns(const Model& model) const {
  const bool known = model.recent_is_current() && model.recent().pace.known();
  if (known && shown_iteration_ && !settles_) return static_cast<double>(shown_iteration_->duration());
  if (known) return model.recent().pace.ns;
  // A loop so slow that it has no pace over a second. One long iteration (memory is pinned) does not make a slow loop.
  const auto records = model.analysis().records();
  const auto& markers = model.analysis().markers();
  const Nanoseconds since = markers.empty() ? kEver : markers.back().start_ns;
  std::size_t first = records.size();
  while (first > 0 && records[first - 1].start_ns >= since && records.size() - first < kSlowLoop) --first;
  if (records.size() - first < kSlowLoop) return std::nullopt;
  Nanoseconds shortest = std::numeric_limits<Nanoseconds>::max();
  for (std::size_t i = first + 1; i < records.size(); ++i) {
    shortest = std::min(shortest, records[i].end_ns - records[i - 1].end_ns);
  }
  if (shortest < kSlowNs) return std::nullopt;
  return static_cast<double>(shortest);
}

void ViewControl::fit_iterations(const Model& model, double seconds) {
  const std::optional<double> own = typical_ns(model);
  if (!own) return;
  const double longest = std::max(*own, other_ns_);
  const double width = static_cast<double>(axis_.width_px());
  if (!goes_) {
    if (by_hand_ || longest <= kFull * axis_.span_ns()) return;
    goes_ = true;
  }
  double wanted = longest * (goal_ ? goal_->iterations : 1) / (kFill * width);
  if (turned_) wanted = std::max(wanted, span_at_turn_ / width);
  const double part = animated_ ? 1 - std::exp(-std::min(seconds, kLongestStep) / kGoalSeconds) : 1;
  double next = axis_.ns_per_pixel() * std::pow(wanted / axis_.ns_per_pixel(), part);
  if (std::abs(std::log(wanted / next)) < 0.002) {
    next = wanted;
    goes_ = false;
  }
  axis_ = axis_.zoomed(axis_.ns_per_pixel() / next, shown_trigger_ ? axis_.to_px(*shown_trigger_) : axis_.left_px());
}

void ViewControl::place_initially(const Model& model, float left_px, float width_px) {
  const auto [from, to] = model.extent();
  const auto records = model.analysis().records();
  axis_ = TimeAxis(from, 1000, left_px, width_px);
  const Nanoseconds first = records.empty() ? from : records.front().start_ns;
  if (model.live()) {
    // A guess until the first iterations are known. The first one does not count: it may take a thousand times as long
    // as the others, because it loads the GPU's code.
    constexpr std::size_t kEnough = 4;
    placed_ = records.size() > kEnough;
    const double span =
        placed_ ? static_cast<double>(records[kEnough].end_ns - records[1].start_ns) / kEnough / kFill : 1e6;
    axis_ = axis_.with_ns_per_pixel(span / static_cast<double>(width_px)).anchored(first, start_px());
  } else {
    placed_ = true;
    mode_ = ViewMode::Single;
    armed_ = false;
    axis_ = axis_.fitted(from, to);
    label_origin_ = from;
  }
}

void ViewControl::update(const Model& model, float left_px, float width_px, Clock::time_point now) {
  if (generation_ != model.generation()) {
    generation_ = model.generation();
    // The other side of an experiment may need a run of its own: the scale stays.
    const bool keeps = placed_ && live_ && model.live() && !goes_;
    placed_ = false;
    target_.reset();
    motion_.stop();
    history_.reset();
    label_origin_ = 0;
    markers_shown_ = 0;
    watch_.clear();
    starts_.clear();
    shown_trigger_.reset();
    shown_iteration_.reset();
    edge_.reset();
    if (model.live()) change_mode(before_freeze_);
    if (keeps) {
      placed_ = true;
      begin_turn();
    } else {
      goes_ = !by_hand_;
      turned_ = false;
    }
  }
  if (!placed_) place_initially(model, left_px, width_px);
  if (placed_ && model.live() && !held_ && mode_ == ViewMode::Trigger) {
    fit_iterations(model,
                   last_update_ == Clock::time_point{} ? 0 : std::chrono::duration<double>(now - last_update_).count());
  }
  if (axis_.left_px() != left_px || axis_.width_px() != width_px) {
    // Keep the same time range in the new width.
    const double ns_per_pixel = axis_.span_ns() / static_cast<double>(width_px);
    axis_ = axis_.placed(left_px, width_px).with_ns_per_pixel(ns_per_pixel);
    if (target_) {
      const double wanted = target_->span_ns() / static_cast<double>(width_px);
      target_ = target_->placed(left_px, width_px).with_ns_per_pixel(wanted);
    }
  }
  extent_ = model.extent();
  live_ = model.live();
  const double seconds =
      last_update_ == Clock::time_point{} ? 0 : std::chrono::duration<double>(now - last_update_).count();
  last_update_ = now;
  if (frozen_by_hand() && !moving()) history_.see(axis_, now);
  move(std::min(seconds, kLongestStep));
  if (model.live() && !held_) {
    if (mode_ == ViewMode::Roll) roll(model, seconds);
    if (mode_ == ViewMode::Trigger || armed_) trigger(model, seconds, now);
  }
  look_up_iteration(model);
}

void ViewControl::look_up_iteration(const Model& model) {
  const Nanoseconds at = shown_trigger_ ? *shown_trigger_ : axis_.to_ns(start_px() + 1);
  if (shown_iteration_ && at >= shown_iteration_->start_ns && at < shown_iteration_->end_ns) return;
  shown_iteration_.reset();
  const auto found = iteration_at(model.trace(), at, model.live_edge());
  if (!found || found->event.start_ns > at || found->event.end_ns <= at) return;
  shown_iteration_ = {found->event.start_ns, found->event.end_ns, trace::index_of(found->event) + 1};
}

void ViewControl::show_iteration(Nanoseconds from, Nanoseconds to) {
  const double span = static_cast<double>(std::max<Nanoseconds>(1, to - from));
  const bool fits = span <= kFull * axis_.span_ns() && span >= 0.2 * axis_.span_ns();
  const TimeAxis scaled =
      fits ? axis_ : axis_.with_ns_per_pixel(span / (kFill * static_cast<double>(axis_.width_px())));
  if (!live_) return jump_to(scaled.anchored(from, start_px()));
  change_mode(ViewMode::Trigger);
  axis_ = scaled;
  align(from);
  stays_ = true;
}

Nanoseconds ViewControl::label_origin() const {
  if (!shown_trigger_) return label_origin_;
  const auto view = static_cast<Nanoseconds>(axis_.span_ns());
  const bool near = label_origin_ >= axis_.begin_ns() - view && label_origin_ <= axis_.end_ns() + view;
  return near ? label_origin_ : extent_.first;
}

void ViewControl::roll(const Model& model, double seconds) {
  label_origin_ = 0;
  shown_trigger_.reset();
  const Nanoseconds edge = edge_.update(model.live_edge(), model.now(), !model.open_calls().empty(), seconds);
  axis_ = axis_.anchored(edge, axis_.right_px() - static_cast<float>(kEdgeShare) * axis_.width_px());
}

void ViewControl::move(double seconds) {
  if (target_) {
    const double ease = calm_ ? kCalmEaseSeconds : kViewEaseSeconds;
    const TimeAxis next = axis_.towards(*target_, 1 - std::exp(-seconds / ease));
    const double begins = next.offset_px(*target_);
    const double ends = begins + (target_->span_ns() - next.span_ns()) / next.ns_per_pixel();
    const bool near = std::abs(begins) < 0.25 && std::abs(ends) < 0.25;
    axis_ = near || !animated_ ? *target_ : next;
    if (near || !animated_) target_.reset();
  }
  if (motion_.moving()) {
    const TimeAxis before = axis_;
    const TimeAxis next = motion_.step(axis_, seconds, animated_);
    const bool too_wide = next.ns_per_pixel() > std::max(widest_ns_per_pixel(), before.ns_per_pixel());
    axis_ = too_wide ? before : bounded(next, before);
    if (axis_ == before && seconds > 0) motion_.stop();  // reached the end of the run, or the zoom limit
  }
}

double ViewControl::widest_ns_per_pixel() const {
  const double length = static_cast<double>(extent_.second - extent_.first);
  const double widest = std::max(length / kLeastShare, live_ ? kWidestAtFirst : 1.0);
  return widest / static_cast<double>(axis_.width_px());
}

// `wanted`, moved so that part of the run stays in view; if `before` was already too far out, not further than that.
TimeAxis ViewControl::bounded(const TimeAxis& wanted, const TimeAxis& before) const {
  const auto [begin, end] = extent_;
  if (begin >= end) return wanted;
  // By how many pixels the run is too far left (positive) or too far right (negative).
  const auto outside = [&](const TimeAxis& axis) {
    const float sliver = std::min(kSliverPx, axis.length_px(end - begin));
    const float left = axis.left_px() + sliver - axis.to_px(end);
    const float right = axis.to_px(begin) - (axis.right_px() - sliver);
    return left > 0 ? left : right > 0 ? -right : 0.0f;
  };
  const float now = outside(wanted);
  const float was = outside(before);
  if (now == 0 || (now > 0 && now <= was) || (now < 0 && now >= was)) return wanted;
  if (was * now > 0) return wanted.panned(now - was);
  const float sliver = std::min(kSliverPx, wanted.length_px(end - begin));
  return now > 0 ? wanted.anchored(end, wanted.left_px() + sliver) : wanted.anchored(begin, wanted.right_px() - sliver);
}

void ViewControl::zoom(double factor, float at_px) {
  freeze();
  motion_.stop();
  const TimeAxis from = destination();
  const double furthest = std::min(1.0, from.ns_per_pixel() / widest_ns_per_pixel());
  target_ = bounded(from.zoomed(std::max(factor, furthest), at_px), from);
}

void ViewControl::pan(float px) {
  freeze();
  target_.reset();
  motion_.stop();
  if (px != 0) axis_ = bounded(axis_.panned(px), axis_);
}

void ViewControl::glide(float px) {
  freeze();
  motion_.stop();
  target_ = bounded(destination().panned(px), destination());
}

void ViewControl::stop() {
  target_.reset();
  motion_.stop();
}

void ViewControl::push(double pan, double zoom, float at_px) {
  freeze();
  target_.reset();
  if (zoom < 0 && axis_.ns_per_pixel() >= widest_ns_per_pixel()) zoom = 0;
  motion_.push(pan, zoom, at_px);
}

void ViewControl::flick(double pan) {
  freeze();
  target_.reset();
  motion_.flick(pan);
}

void ViewControl::place(Nanoseconds from, Nanoseconds to) {
  freeze();
  stop();
  axis_ = bounded(axis_.fitted(from, to), axis_);
}

void ViewControl::shrink_into(float x0, float x1) {
  const double share = static_cast<double>(x1 - x0) / static_cast<double>(axis_.width_px());
  if (!(share > 0)) return;
  leave();
  freeze();
  motion_.stop();
  const double wanted = std::min(axis_.ns_per_pixel() / share, std::max(widest_ns_per_pixel(), axis_.ns_per_pixel()));
  target_ = bounded(axis_.with_ns_per_pixel(wanted).panned(x0 - axis_.left_px()), axis_);
}

void ViewControl::reveal(Nanoseconds from, Nanoseconds to) {
  const TimeAxis going = destination();
  const float x0 = going.to_px(from);
  const float x1 = going.to_px(to);
  const float seen = std::min(x1, going.right_px()) - std::max(x0, going.left_px());
  const float room = going.width_px();
  const bool instant_seen = x1 - x0 < 1 && x0 >= going.left_px() && x1 <= going.right_px();
  if (instant_seen || (seen > 0 && seen >= std::min(x1 - x0, room) - 0.5f)) return;
  // If the range is longer than the view, show its beginning.
  const TimeAxis target = x1 - x0 > 0.9f * room ? going.anchored(from, going.left_px() + 0.1f * room)
                                                : going.anchored(from + (to - from) / 2, going.left_px() + room / 2);
  leave();
  freeze();
  motion_.stop();
  target_ = bounded(target, going);
}

void ViewControl::go_on_to(const TimeAxis& destination) {
  freeze();
  motion_.stop();
  target_ = destination.placed(axis_.left_px(), axis_.width_px());
}

void ViewControl::jump_to(const TimeAxis& target) {
  leave();
  freeze();
  motion_.stop();
  target_ = bounded(target, axis_);
}

void ViewControl::show(Nanoseconds from, Nanoseconds to) {
  const Nanoseconds margin = std::max<Nanoseconds>(1, (to - from) / 8);
  jump_to(axis_.fitted(from - margin, to + margin));
}

void ViewControl::show_exactly(Nanoseconds from, Nanoseconds to) {
  jump_to(axis_.fitted(from, std::max(to, from + 1)));
}

void ViewControl::centre(Nanoseconds t) {
  const TimeAxis going = destination();
  jump_to(going.anchored(t, going.left_px() + going.width_px() / 2));
}

void ViewControl::look_at(Nanoseconds middle, double span_ns) {
  const TimeAxis scaled = axis_.with_ns_per_pixel(span_ns / static_cast<double>(axis_.width_px()));
  jump_to(scaled.anchored(middle, axis_.left_px() + axis_.width_px() / 2));
}

void ViewControl::fit(const Model& model) {
  const auto [from, to] = model.extent();
  extent_ = {from, to};
  jump_to(axis_.fitted(from, to));
}

void ViewControl::leave() { history_.leave(destination()); }

bool ViewControl::back() {
  const auto view = history_.back(destination());
  if (!view) return false;
  const double ns_per_pixel = view->span_ns() / static_cast<double>(axis_.width_px());
  go_on_to(view->placed(axis_.left_px(), axis_.width_px()).with_ns_per_pixel(ns_per_pixel));
  return true;
}

bool ViewControl::forward() {
  const auto view = history_.forward(destination());
  if (!view) return false;
  const double ns_per_pixel = view->span_ns() / static_cast<double>(axis_.width_px());
  go_on_to(view->placed(axis_.left_px(), axis_.width_px()).with_ns_per_pixel(ns_per_pixel));
  return true;
}

// --- the trigger -----------------------------------------------------------------------------------------------------

Nanoseconds ViewControl::after_trigger() const {
  return static_cast<Nanoseconds>(axis_.span_ns() * (1 - kEdgeShare - static_cast<double>(kLead)));
}

void ViewControl::align(Nanoseconds instant) {
  axis_ = axis_.anchored(instant, start_px());
  label_origin_ = instant;
  shown_trigger_ = instant;
}

void ViewControl::retrigger() { triggered_ = {}; }

void ViewControl::stop_triggering() {
  armed_from_.reset();
  shot_.reset();
  newest_fired_.reset();
  idle_seconds_ = 0;
  auto_rolling_ = false;
}

void ViewControl::set_trigger(const TriggerSettings& wanted) {
  own_trigger_ = wanted;
  by_hand_ = true;
  use_trigger(wanted);
}

void ViewControl::use_trigger(const TriggerSettings& settings) {
  const bool fires_alike = settings.fires_like(trigger_settings_);
  trigger_settings_ = settings;
  if (fires_alike) return;
  watch_.clear();
  shown_trigger_.reset();  // the current picture belongs to the old trigger
  if (!live_) return;      // an opened trace does not move: see align_still()
  if (armed_) return stop_triggering();
  change_mode(ViewMode::Trigger);
  retrigger();
}

bool ViewControl::align_still(const Model& model, std::size_t pictures) {
  const auto in_view = [&](Nanoseconds t) { return t >= axis_.begin_ns() - 1 && t < axis_.end_ns(); };
  if (shown_trigger_ && (held_ || moving() || in_view(*shown_trigger_))) return true;
  const trace::Trace& trace = model.trace();
  const Nanoseconds middle = axis_.to_ns((axis_.left_px() + axis_.right_px()) / 2);
  std::vector<Nanoseconds> about =
      newest_triggers(trace, trigger_settings_, kEver, std::min(middle, extent_.second), TriggerWatch::kKept);
  std::optional<Nanoseconds> instant;
  if (!about.empty()) instant = about.back();
  if (about.size() < 2) about = newest_triggers(trace, trigger_settings_, kEver, extent_.second, kAll);
  if (about.empty()) {
    if (shown_trigger_) leave_still();
    return false;
  }
  if (!instant) instant = about.front();
  if (about.size() > 1) {  // take as many instants after it as before it
    const auto between = (about.back() - about.front()) / (std::ssize(about) - 1);
    const Nanoseconds until = *instant + between * static_cast<Nanoseconds>(TriggerWatch::kKept);
    const auto after = newest_triggers(trace, trigger_settings_, kEver, std::min(until, extent_.second), kAll);
    about.insert(about.end(), after.begin(), after.end());
    std::sort(about.begin(), about.end());
    about.erase(std::unique(about.begin(), about.end()), about.end());
  }
  watch_.set(std::move(about));
  const bool begins = !shown_trigger_;
  shown_trigger_ = label_origin_ = *instant;
  if (begins) close_in(pictures);
  return true;
}

// Zooms in if fewer than half of the available pictures fit completely into the trace.
void ViewControl::close_in(std::size_t pictures) {
  const std::vector<Nanoseconds>& all = fired();
  if (all.size() < 2) return;
  const Nanoseconds before = *shown_trigger_ - axis_.begin_ns();
  const Nanoseconds after = axis_.end_ns() - *shown_trigger_;
  const auto fits = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](Nanoseconds t) {
    return t - before >= extent_.first && t + after <= extent_.second;
  }));
  if (2 * fits >= std::min(pictures, all.size())) return;
  const double between = static_cast<double>(all.back() - all.front()) / static_cast<double>(all.size() - 1);
  const double span = between * std::min(kIterationsAtFirst, static_cast<double>(all.size()) / 2);
  show_exactly(*shown_trigger_, *shown_trigger_ + std::max<Nanoseconds>(1, static_cast<Nanoseconds>(span)));
}

void ViewControl::leave_still() {
  shown_trigger_.reset();
  watch_.clear();
  label_origin_ = extent_.first;
}

// Of what is recorded in bursts, a whole iteration is rare: there, the newest that fits is shown.
bool ViewControl::shows_iterations(const Model& model) const {
  return !model.trace().recorded_in_parts() && !model.analysis().records().empty();
}

// The newest typical one of the newest iterations since the last knob, of those in which the trigger has fired. `any`:
// of all of them. Before the first has ended: the one that is under way.
std::optional<ShownIteration> ViewControl::choose(const Model& model, bool any) {
  const auto records = model.analysis().records();
  const auto& markers = model.analysis().markers();
  const Nanoseconds since = markers.empty() ? kEver : markers.back().start_ns;
  const Nanoseconds latest = model.live_edge() - after_trigger();
  any = any || trigger_settings_.source == TriggerSource::Iteration;
  if (!any) watch_.look(model.trace(), trigger_settings_, model.live_edge());
  const auto fires = [&](const analysis::IterationRecord& r) {
    const auto& fired = watch_.fired();
    const auto next = std::lower_bound(fired.begin(), fired.end(), r.start_ns);
    return next != fired.end() && *next < r.end_ns;
  };
  std::vector<const analysis::IterationRecord*> chosen;  // newest first
  for (std::size_t i = records.size(); i-- > 0 && records[i].start_ns >= since && chosen.size() < kMostStarts;) {
    if (any || fires(records[i])) chosen.push_back(&records[i]);
  }
  if (chosen.empty()) {
    if (!any) return std::nullopt;
    const Nanoseconds under_way = std::max(records.back().end_ns, since);
    return ShownIteration{under_way, under_way, 0};
  }
  // A picture that is complete to its right edge, if there is one.
  const auto complete =
      std::find_if(chosen.begin(), chosen.end(), [&](const auto* r) { return r->start_ns <= latest; });
  if (complete != chosen.end()) chosen.erase(chosen.begin(), complete);
  starts_.assign(chosen.size(), 0);
  std::transform(chosen.rbegin(), chosen.rend(), starts_.begin(), [](const auto* r) { return r->start_ns; });
  chosen.resize(std::min(chosen.size(), kTypicalOf));
  std::vector<Nanoseconds> lengths(chosen.size());
  std::transform(chosen.begin(), chosen.end(), lengths.begin(), [](const auto* r) { return r->duration(); });
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const auto off = [&](const auto* r) { return std::abs(static_cast<double>(r->duration() - *middle)); };
  const auto least = [&](const auto* a, const auto* b) { return off(a) < off(b); };
  auto found = std::find_if(chosen.begin(), chosen.end(),
                            [&](const auto* r) { return off(r) <= kTypical * static_cast<double>(*middle); });
  if (found == chosen.end()) found = std::min_element(chosen.begin(), chosen.end(), least);
  return ShownIteration{(*found)->start_ns, (*found)->end_ns, (*found)->number};
}

void ViewControl::begin_turn() {
  stays_ = false;
  settles_ = true;
  if (!goes_) {
    turned_ = true;
    span_at_turn_ = axis_.span_ns();
  }
  retrigger();
}

void ViewControl::trigger(const Model& model, double seconds, Clock::time_point now) {
  if (armed_) return take_single(model);
  const trace::Trace& trace = model.trace();
  const std::size_t markers = model.analysis().markers().size();
  if (moves(model)) idle_seconds_ += seconds;
  if (markers > markers_shown_) begin_turn();
  markers_shown_ = markers;
  if (stays_) return;
  if (now - triggered_ < kTriggerPeriod) {
    if (auto_rolling_) roll(model, seconds);
    return;
  }
  std::optional<Nanoseconds> found;
  bool whole = true;
  if (shows_iterations(model)) {
    auto iteration = choose(model, false);
    if (iteration) idle_seconds_ = 0;
    if (idle_seconds_ >= kTriggerPatienceSeconds) iteration = choose(model, true);
    if (iteration) {
      found = iteration->start_ns;
      whole = iteration->duration() > 0;
    }
    auto_rolling_ = false;
  } else {
    starts_.clear();
    const Nanoseconds wanted = after_trigger();
    const Nanoseconds latest = model.live_edge() - wanted;
    watch_.look(trace, trigger_settings_, latest);
    found = watch_.newest_until(latest, trace, wanted);
    if (!found) {  // no picture is complete yet: show what there is
      const auto any = newest_triggers(trace, trigger_settings_, kEver, model.live_edge(), kAll);
      if (!any.empty()) found = any.front();
    }
    whole = found && *found <= latest;
    if (found != newest_fired_ || (found && !whole)) {
      newest_fired_ = found;
      idle_seconds_ = 0;
      auto_rolling_ = false;
    } else if (idle_seconds_ >= std::max(kTriggerPatienceSeconds, 2e-9 * static_cast<double>(burst_period(trace)))) {
      auto_rolling_ = true;
    }
    if (auto_rolling_) {
      triggered_ = now;
      return roll(model, seconds);
    }
  }
  if (!found) return;
  align(*found);
  triggered_ = whole ? now : Clock::time_point{};
  if (settles_ && whole && !goes_ && model.recent_is_current() && model.recent().pace.known()) {
    settles_ = false;
    stays_ = true;
  }
}

// Armed: the next trigger begins the picture, which fills up to its end and then stays. While the run is not moving
// there is no next trigger, so the newest one is taken.
void ViewControl::take_single(const Model& model) {
  const Nanoseconds edge = model.live_edge();
  if (!shot_) {
    if (!armed_from_) armed_from_ = edge;
    if (moves(model)) {
      const auto since = newest_triggers(model.trace(), trigger_settings_, *armed_from_, edge, kAll);
      if (!since.empty()) shot_ = since.front();
    } else {
      shot_ = newest_trigger(model.trace(), trigger_settings_, kEver, edge - after_trigger());
      if (!shot_) shot_ = newest_trigger(model.trace(), trigger_settings_, kEver, edge);
    }
    if (!shot_) return;
  }
  const auto iteration = iteration_at(model.trace(), *shot_, edge);
  const bool inside = iteration && iteration->event.start_ns <= *shot_ && *shot_ < iteration->event.end_ns;
  align(inside ? iteration->event.start_ns : *shot_);
  if (!moves(model) || edge >= *shot_ + after_trigger()) armed_ = false;
}

}  // namespace lanescope::ui
