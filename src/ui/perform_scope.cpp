#include "base/translate.h"
#include "ui/perform.h"

namespace lanescope::ui {
namespace {

using base::tr;

bool needs_a_run(ShellState& state) {
  if (state.model.live()) return false;
  state.show_toast(tr("an opened trace stands still: the trigger and the average are for a live run"));
  return true;
}

void toggle_average(ShellState& state) {
  if (needs_a_run(state)) return;
  AverageSettings& average = state.scope.average;
  average.on = !average.on;
  // Only pictures that are aligned can be laid over each other.
  if (average.on && state.view.mode() == ViewMode::Roll) state.view.set_mode(ViewMode::Trigger);
  if (average.on && state.view.single_shot()) state.view.resume();
}

}  // namespace

bool perform_scope(ShellState& state, Action action) {
  switch (action) {
    case Action::Roll:
      state.view.set_mode(ViewMode::Roll);
      return true;
    case Action::Trigger:
      state.view.set_mode(ViewMode::Trigger);
      return true;
    case Action::Single:
      state.view.set_mode(ViewMode::Single);
      return true;
    case Action::Average:
      toggle_average(state);
      return true;
    case Action::TriggerPanel:
      if (!state.scope.panel_open && needs_a_run(state)) return true;
      state.scope.panel_open = !state.scope.panel_open;
      return true;
    case Action::Resume:
      state.view.resume();
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
