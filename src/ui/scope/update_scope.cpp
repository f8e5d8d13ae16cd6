#include <algorithm>
#include <cmath>

#include "ui/shell_state.h"

namespace lanescope::ui {
namespace {

// The right edge of a live view is not known of the newest picture.
constexpr double kEdgeShare = 0.03;

// Of an opened trace: the pictures that lie in it as a whole, those nearest to the one that is looked at. That one
// comes last, as the newest of a live run does.
void choose_of_still(const ShellState& state, Nanoseconds instant, AverageRequest& wanted) {
  const auto [first, last] = state.model.extent();
  for (const Nanoseconds t : state.view.fired()) {
    if (t - wanted.before >= first && t + wanted.after <= last) wanted.triggers.push_back(t);
  }
  std::stable_sort(wanted.triggers.begin(), wanted.triggers.end(),
                   [&](Nanoseconds a, Nanoseconds b) { return std::abs(a - instant) > std::abs(b - instant); });
}

// Of a live run: the newest pictures that are known as a whole and lie behind the last turn of a knob.
AverageRequest wanted_average(const ShellState& state, Nanoseconds instant) {
  const TimeAxis& axis = state.view.axis();
  const bool live = state.model.live();
  AverageRequest wanted;
  wanted.before = instant - axis.begin_ns();
  wanted.after = axis.end_ns() - instant - (live ? static_cast<Nanoseconds>(axis.span_ns() * kEdgeShare) : 0);
  wanted.columns = static_cast<std::size_t>(std::clamp(std::lround(axis.width_px()), 64L, 4096L));
  const auto most = static_cast<std::size_t>(state.scope.average.count);
  const auto keep_last = [&] {
    if (wanted.triggers.size() > most) wanted.triggers.erase(wanted.triggers.begin(), wanted.triggers.end() - most);
  };
  if (!live) {
    choose_of_still(state, instant, wanted);
    keep_last();
    return wanted;
  }
  Nanoseconds since = state.scope.since;
  if (state.model.trace().counts().evicted > 0) since = std::max(since, state.model.extent().first);
  for (const Nanoseconds t : state.view.fired()) {
    const bool begins_after = since == std::numeric_limits<Nanoseconds>::min() || t - wanted.before >= since;
    if (begins_after && t + wanted.after <= state.model.live_edge()) wanted.triggers.push_back(t);
  }
  keep_last();
  return wanted;
}

void take_ready(ScopeState& scope, const std::deque<analysis::Bubble>& bubbles) {
  if (!scope.pending.valid() || scope.pending.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  auto picture = scope.pending.get();
  if (!picture) return;
  scope.picture = std::move(*picture);
  scope.picture.add_bubbles(bubbles, scope.asked.triggers);
}

}  // namespace

void ScopeState::drop_average() {
  stop.request_stop();
  if (pending.valid()) pending.wait();
  pending = {};
  stop = {};
  picture.clear();
  asked = {};
}

bool shows_average(const ShellState& state) {
  return state.scope.average.on && state.scope.picture.count() > 0 && state.view.trigger_instant() &&
         !state.view.single_shot();
}

void update_scope(ShellState& state) {
  ScopeState& scope = state.scope;
  take_ready(scope, state.model.analysis().bubbles());
  const auto& markers = state.model.analysis().markers();
  if (scope.generation != state.model.generation() || scope.markers != markers.size()) {
    if (scope.generation != state.model.generation()) {
      scope.names.clear();
      if (!state.model.live()) scope.average.on = false;  // a file is shown as it is, at first
    }
    scope.generation = state.model.generation();
    scope.markers = markers.size();
    scope.since = markers.empty() ? std::numeric_limits<Nanoseconds>::min() : markers.back().start_ns;
    scope.drop_average();
  }
  if (!state.model.live()) {
    if (scope.average.on) {
      state.view.align_still(state.model, static_cast<std::size_t>(scope.average.count));
    } else if (state.view.trigger_instant()) {
      state.view.leave_still();
    }
  }
  const auto instant = state.view.trigger_instant();
  if (!scope.average.on || !instant) {
    if (!scope.average.on && (scope.picture.count() > 0 || scope.pending.valid())) scope.drop_average();
    return;
  }
  if (state.view.moving() || scope.pending.valid()) return;
  AverageRequest wanted = wanted_average(state, *instant);
  if (wanted == scope.asked) return;
  if (wanted.triggers.empty()) return scope.drop_average();
  scope.asked = std::move(wanted);
  const auto work = [&trace = state.model.trace(), request = scope.asked, stop = scope.stop.get_token()] {
    AveragePicture picture;
    const bool whole = picture.compute(trace, request.triggers, request.before, request.after, request.columns, stop);
    return whole ? std::optional(std::move(picture)) : std::nullopt;
  };
  scope.pending = std::async(std::launch::async, work);
}

}  // namespace lanescope::ui
