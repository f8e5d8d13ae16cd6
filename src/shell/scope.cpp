#include "shell/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/selecting.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

// The right edge of a live view is not known yet for the newest picture.
constexpr double kEdgeShare = 0.03;

// For an opened trace: the pictures that lie completely in it, nearest to the current one. The current one comes last,
// like the newest of a live run.
void choose_of_still(const ShellState& state, Nanoseconds instant, AverageRequest& wanted) {
  const auto [first, last] = state.model.extent();
  for (const Nanoseconds t : state.view.fired()) {
    if (t - wanted.before >= first && t + wanted.after <= last) wanted.triggers.push_back(t);
  }
  std::stable_sort(wanted.triggers.begin(), wanted.triggers.end(),
                   [&](Nanoseconds a, Nanoseconds b) { return std::abs(a - instant) > std::abs(b - instant); });
}

// For a live run: the newest complete pictures that begin after the last turn of a knob.
AverageRequest wanted_average(const ShellState& state, Nanoseconds instant) {
  const TimeAxis& axis = state.view.axis();
  const bool live = state.model.live();
  AverageRequest wanted;
  wanted.before = instant - axis.begin_ns();
  wanted.after = axis.end_ns() - instant - (live ? static_cast<Nanoseconds>(axis.span_ns() * kEdgeShare) : 0);
  wanted.columns = static_cast<std::size_t>(std::clamp(std::lround(axis.width_px()), 64L, 4096L));
  const auto most = static_cast<std::size_t>(state.scope.average.count);
  const auto keep_last = [&] {
    if (state.model.trace().recorded_in_parts()) {
      wanted.triggers = recorded_whole(state.model.trace(), wanted.triggers, wanted.before, wanted.after);
    }
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

void take_ready(ScopeState& scope, const analysis::LiveAnalysis& analysis) {
  auto picture = scope.pending.take();
  if (!picture) return;
  scope.picture = std::move(*picture);
  for (std::size_t g = 0; g < analysis.gpu_count(); ++g) {
    const auto gpu = static_cast<trace::GpuNumber>(g);
    scope.picture.add_bubbles(analysis.bubbles(gpu), scope.asked.triggers, gpu);
  }
}

bool fires(const ShellState& state) {
  return newest_trigger(state.model.trace(), state.view.trigger_settings(), std::numeric_limits<Nanoseconds>::min(),
                        state.model.extent().second)
      .has_value();
}

void toggle_average(ShellState& state) {
  AverageSettings& average = state.scope.average;
  if (!state.model.live() && !average.on && !fires(state)) {
    return state.show_toast(tr("nothing to average: {} in this trace ({}: trigger settings)",
                               no_trigger_text(state.view.trigger_settings()),
                               key_text(info(Action::TriggerPanel).keys.front())));
  }
  average.on = !average.on;
  if (!state.model.live()) return;  // update_scope() aligns it
  // Only aligned pictures can be averaged.
  if (average.on && state.view.mode() == ViewMode::Roll) state.view.set_mode(ViewMode::Trigger);
  if (average.on && state.view.single_shot()) state.view.resume();
}

// A view of an opened trace has no mode.
std::string needs_a_run(const ShellState& state) {
  return state.model.live() ? "" : tr("an opened trace is not live: roll, trigger and single need a live run");
}

std::string follows_already(const ShellState& state) {
  if (!state.model.live()) return no_run(state);
  const bool held = state.view.mode() == ViewMode::Single || state.view.stays();
  return held ? "" : tr("the view already follows the run");
}

// Since the last turn of a knob: the iterations before it are not like those after it.
void find_worst(ShellState& state) {
  const auto& markers = state.model.analysis().markers();
  const Nanoseconds since = markers.empty() ? std::numeric_limits<Nanoseconds>::min() : markers.back().start_ns;
  state.scope.worst.start([trace = state.model.shared_trace(), since, until = state.model.live_edge()](
                              const base::Stop& stop) { return worst_iteration(*trace, since, until, &stop); });
}

void show_worst(ShellState& state) {
  const auto found = state.scope.worst.take();
  if (!found) return;
  if (!*found) return state.show_toast(tr("fewer than three iterations to compare"));
  const Outlier& worst = **found;
  state.view.show_iteration(worst.start_ns, worst.end_ns);
  if (worst.event) select_event(state, *worst.event);
  state.show_toast(outlier_text(worst));
}

}  // namespace

void ScopeState::drop_average() {
  pending.leave();
  picture.clear();
  asked = {};
}

bool shows_average(const ShellState& state) {
  return state.scope.average.on && state.scope.picture.count() > 0 && state.view.trigger_instant() &&
         !state.view.single_shot();
}

void update_scope(ShellState& state) {
  ScopeState& scope = state.scope;
  take_ready(scope, state.model.analysis());
  show_worst(state);
  const auto& markers = state.model.analysis().markers();
  if (scope.generation != state.model.generation() || scope.markers != markers.size()) {
    if (scope.generation != state.model.generation()) {
      scope.names.clear();
      if (!state.model.live()) scope.average.on = false;  // a file is shown without an average at first
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
    if (!scope.average.on && (scope.picture.count() > 0 || scope.pending.busy())) scope.drop_average();
    return;
  }
  if (state.view.moving() || scope.pending.busy()) return;
  AverageRequest wanted = wanted_average(state, *instant);
  if (wanted == scope.asked) return;
  if (wanted.triggers.empty()) return scope.drop_average();
  scope.asked = std::move(wanted);
  scope.pending.start([trace = state.model.shared_trace(), request = scope.asked](const base::Stop& stop) {
    AveragePicture picture;
    picture.compute(*trace, request.triggers, request.before, request.after, request.columns, &stop);
    return picture;
  });
}

ScopeStatus scope_status(const ShellState& state) {
  const ViewControl& view = state.view;
  const TriggerSettings& settings = view.trigger_settings();
  const std::string what = trigger_text(settings);
  if (!state.model.live() && state.scope.average.on && !shows_average(state)) {
    if (view.fired().empty()) return {tr("average"), no_trigger_text(settings), false};
    if (state.scope.pending.busy() || view.moving()) return {tr("average"), "…", false};
    return {tr("average"), tr("zoom in: no picture of this width fits"), false};
  }
  if (view.armed() && !view.single_shot()) return {tr("waits for"), what, true};
  if (view.armed()) return {tr("single"), what, false};
  if (shows_average(state)) return {tr("average of"), fmt::format("{}", state.scope.picture.count()), false};
  if (view.mode() == ViewMode::Roll) return {tr("rolls"), tr("newest at the right"), false};
  if (view.frozen_by_hand() || view.stays()) {
    return {tr("held"), key_text(info(Action::Resume).keys.front()), false};
  }
  if (view.fired().empty() && !view.trigger_instant()) return {tr("trigger"), no_trigger_text(settings), true};
  return {tr("trigger"), what, false};
}

std::vector<ActionInfo> scope_actions() {
  return {
      {Action::Roll,
       ActionGroup::Scope,
       "roll",
       N_("roll: newest events at the right edge"),
       {},
       [](ShellState& s) { s.view.set_mode(ViewMode::Roll); },
       needs_a_run},
      {Action::Trigger,
       ActionGroup::Scope,
       "trigger",
       N_("trigger: hold the picture at each trigger"),
       {},
       [](ShellState& s) { s.view.set_mode(ViewMode::Trigger); },
       needs_a_run},
      {Action::Single,
       ActionGroup::Scope,
       "single",
       N_("single: one picture at the next trigger"),
       {},
       [](ShellState& s) { s.view.set_mode(ViewMode::Single); },
       needs_a_run},
      {Action::Average,
       ActionGroup::Scope,
       "average",
       N_("average of the last pictures, with their spread"),
       {},
       toggle_average},
      {Action::TriggerPanel,
       ActionGroup::Scope,
       "trigger-panel",
       N_("trigger: what chooses the shown iteration"),
       {{key::O}},
       [](ShellState& s) { s.scope.panel_open = !s.scope.panel_open; }},
      {Action::WorstIteration,
       ActionGroup::Scope,
       "worst-iteration",
       N_("go to the iteration that took longest, and why"),
       {{key::O, kShift}},
       find_worst},
      {Action::Resume,
       ActionGroup::Scope,
       "resume",
       N_("follow the run again, at this zoom"),
       {{key::L}, {key::Home}},
       [](ShellState& s) { s.view.resume(); },
       follows_already},
  };
}

}  // namespace lanescope::ui
