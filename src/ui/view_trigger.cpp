#include <algorithm>
#include <cmath>

#include "ui/view_control.h"

namespace lanescope::ui {
namespace {

// A trigger picture stands for this long: "a few times a second", so that it can be read.
constexpr std::chrono::milliseconds kTriggerPeriod{300};
// A picture with the marker of a knob in it stands longer.
constexpr std::chrono::milliseconds kMarkerHold{1500};
// So many pictures are beside each other when an average of an opened trace begins.
constexpr double kIterationsAtFirst = 3.2;
// So long nothing fires before an automatic trigger lets the picture roll.
constexpr double kPatienceSeconds = 2;
constexpr Nanoseconds kEver = std::numeric_limits<Nanoseconds>::min();
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

bool moves(const Model& model) { return !model.paused() && model.session()->runner().running(); }

}  // namespace

float ViewControl::trigger_px() const {
  return axis_.left_px() + 1 + static_cast<float>(trigger_settings_.pre_trigger) * axis_.width_px();
}

Nanoseconds ViewControl::after_trigger() const {
  return static_cast<Nanoseconds>(axis_.span_ns() * (1 - kEdgeShare - trigger_settings_.pre_trigger));
}

void ViewControl::align(Nanoseconds instant) {
  axis_ = axis_.anchored(instant, trigger_px());
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
  TriggerSettings settings = wanted;
  settings.pre_trigger = std::clamp(settings.pre_trigger, 0.0, kMostPreTrigger);
  const bool fires_alike = settings.fires_like(trigger_settings_);
  trigger_settings_ = settings;
  if (fires_alike) {  // the picture that stands moves to where its instant belongs now
    if (shown_trigger_) {
      target_.reset();
      align(*shown_trigger_);
    }
    return;
  }
  watch_.clear();
  shown_trigger_.reset();  // what stands is another trigger's picture
  if (!live_) return;      // an opened trace stands still: see align_still()
  if (armed_) return stop_triggering();
  set_mode(ViewMode::Trigger);
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
  if (about.size() > 1) {  // as many after it as before it
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

// At least half of the pictures that there are must fit into the trace as a whole.
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
  const Nanoseconds begin = *shown_trigger_ - static_cast<Nanoseconds>(span * trigger_settings_.pre_trigger);
  show_exactly(begin, begin + std::max<Nanoseconds>(1, static_cast<Nanoseconds>(span)));
}

void ViewControl::leave_still() {
  shown_trigger_.reset();
  watch_.clear();
  label_origin_ = extent_.first;
}

void ViewControl::trigger(const Model& model, double seconds, Clock::time_point now) {
  if (armed_) return take_single(model);
  const trace::Trace& trace = model.trace();
  const auto& markers = model.analysis().markers();
  if (moves(model)) idle_seconds_ += seconds;
  // A knob that was turned is seen at once, whatever picture stands.
  const bool turned = markers.size() > markers_shown_;
  const bool stands = now < hold_until_ || now - triggered_ < kTriggerPeriod;
  if (stands && !turned) {
    if (auto_rolling_) roll(model, seconds);
    return;
  }
  const Nanoseconds wanted = after_trigger();
  const Nanoseconds latest = model.live_edge() - wanted;
  watch_.look(trace, trigger_settings_, latest);
  std::optional<Nanoseconds> found = watch_.newest_until(latest);
  if (!found) {  // nothing fills the picture yet: what there is
    const auto any = newest_triggers(trace, trigger_settings_, kEver, model.live_edge(), kAll);
    if (!any.empty()) found = any.front();
  }
  const bool fills = found && *found > latest;  // it has fired, and the picture is not yet full
  if (found != newest_fired_ || fills) {
    newest_fired_ = found;
    idle_seconds_ = 0;
    auto_rolling_ = false;
  } else if (trigger_settings_.automatic && idle_seconds_ >= kPatienceSeconds) {
    auto_rolling_ = true;
  }
  // A knob was turned: first show what is around the marker, as soon as enough of it is known.
  bool marked = false;
  if (turned) {
    const Nanoseconds marker = markers.back().start_ns;
    const auto around = newest_triggers(trace, trigger_settings_, marker - wanted / 3 + 1, model.live_edge(), kAll);
    if (!around.empty() && around.front() <= latest) {
      found = around.front();
      marked = true;
      markers_shown_ = markers.size();
    } else if (marker > latest) {
      // Not enough after it yet: show what there is, up to the edge, and look again at once.
      if (!around.empty()) found = around.front();
    } else {
      markers_shown_ = markers.size();
    }
  }
  const bool look_again = !found || (!marked && markers.size() != markers_shown_);
  if (auto_rolling_ && !marked) {
    triggered_ = look_again ? Clock::time_point{} : now;
    return roll(model, seconds);
  }
  if (!found) return;
  align(*found);
  triggered_ = look_again ? Clock::time_point{} : now;
  if (marked) hold_until_ = now + kMarkerHold;
}

// Armed: the first trigger from now on begins the picture, which fills up to its end and then stands. While the run
// does not move there is no next one, so the newest is taken.
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
  align(*shot_);
  if (!moves(model) || edge >= *shot_ + after_trigger()) armed_ = false;
}

}  // namespace lanescope::ui
