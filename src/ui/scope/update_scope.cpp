#include <algorithm>
#include <cmath>

#include "ui/shell_state.h"

namespace lanescope::ui {
namespace {

// The right edge of a live view is not known of the newest picture.
constexpr double kEdgeShare = 0.03;

// The newest pictures that are known as a whole and lie behind the last turn of a knob.
AverageRequest wanted_average(const ShellState& state, Nanoseconds instant) {
  const TimeAxis& axis = state.view.axis();
  AverageRequest wanted;
  wanted.before = instant - axis.begin_ns();
  wanted.after = axis.end_ns() - instant - static_cast<Nanoseconds>(axis.span_ns() * kEdgeShare);
  wanted.columns = static_cast<std::size_t>(std::clamp(std::lround(axis.width_px()), 64L, 4096L));
  Nanoseconds since = state.scope.since;
  if (state.model.trace().counts().evicted > 0) since = std::max(since, state.model.extent().first);
  for (const Nanoseconds t : state.view.fired()) {
    const bool begins_after = since == std::numeric_limits<Nanoseconds>::min() || t - wanted.before >= since;
    if (begins_after && t + wanted.after <= state.model.live_edge()) wanted.triggers.push_back(t);
  }
  const auto most = static_cast<std::size_t>(state.scope.average.count);
  if (wanted.triggers.size() > most) wanted.triggers.erase(wanted.triggers.begin(), wanted.triggers.end() - most);
  return wanted;
}

void take_ready(ScopeState& scope) {
  if (!scope.pending.valid() || scope.pending.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  if (auto picture = scope.pending.get()) scope.picture = std::move(*picture);
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
  take_ready(scope);
  const auto& markers = state.model.analysis().markers();
  if (scope.generation != state.model.generation() || scope.markers != markers.size()) {
    if (scope.generation != state.model.generation()) scope.names.clear();
    scope.generation = state.model.generation();
    scope.markers = markers.size();
    scope.since = markers.empty() ? std::numeric_limits<Nanoseconds>::min() : markers.back().start_ns;
    scope.drop_average();
  }
  const auto instant = state.view.trigger_instant();
  if (!scope.average.on || !instant || !state.model.live()) {
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
