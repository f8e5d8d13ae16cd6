#include <fmt/format.h>

#include <limits>

#include "base/translate.h"
#include "ui/perform.h"

namespace lanescope::ui {
namespace {

using base::tr;

// A view of an opened trace has no mode.
bool needs_a_run(ShellState& state) {
  if (state.model.live()) return false;
  state.show_toast(tr("an opened trace is not live: roll, trigger and single need a live run"));
  return true;
}

bool fires(const ShellState& state) {
  return newest_trigger(state.model.trace(), state.view.trigger_settings(), std::numeric_limits<Nanoseconds>::min(),
                        state.model.extent().second)
      .has_value();
}

void toggle_average(ShellState& state) {
  AverageSettings& average = state.scope.average;
  if (!state.model.live() && !average.on && !fires(state)) {
    return state.show_toast(fmt::format(fmt::runtime(tr("nothing to average: {} in this trace ({}: trigger settings)")),
                                        no_trigger_text(state.view.trigger_settings()),
                                        key_text(info(Action::TriggerPanel).keys.front())));
  }
  average.on = !average.on;
  if (!state.model.live()) return;  // update_scope() aligns it
  // Only pictures that are aligned can be laid over each other.
  if (average.on && state.view.mode() == ViewMode::Roll) state.view.set_mode(ViewMode::Trigger);
  if (average.on && state.view.single_shot()) state.view.resume();
}

}  // namespace

bool perform_scope(ShellState& state, Action action) {
  switch (action) {
    case Action::Roll:
      if (needs_a_run(state)) return true;
      state.view.set_mode(ViewMode::Roll);
      return true;
    case Action::Trigger:
      if (needs_a_run(state)) return true;
      state.view.set_mode(ViewMode::Trigger);
      return true;
    case Action::Single:
      if (needs_a_run(state)) return true;
      state.view.set_mode(ViewMode::Single);
      return true;
    case Action::Average:
      toggle_average(state);
      return true;
    case Action::TriggerPanel:
      state.scope.panel_open = !state.scope.panel_open;
      return true;
    case Action::Resume:
      if (state.model.live()) state.view.resume();
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
