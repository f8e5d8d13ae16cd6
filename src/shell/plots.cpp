#include "shell/plots.h"

#include "base/translate.h"
#include "shell/action_rows.h"
#include "shell/finding.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

void toggle_axis(ShellState& state) {
  std::optional<bool>& chosen = state.plots.on_timeline_axis;
  chosen = !chosen.value_or(!state.model.live() || state.view.mode() == ViewMode::Roll);
}

void toggle_ghost(ShellState& state) {
  GhostRun& ghost = state.plots.ghost;
  if (!ghost.empty()) {
    ghost = {};
    return;
  }
  ghost = pin_ghost(state.model);
  if (ghost.empty()) {
    state.show_toast(base::tr("No curve to keep yet: fewer than two iterations have ended since the last knob change"));
  }
}

void toggle_open(ShellState& state) {
  show_drawer(state, state.drawer == DrawerTab::Closed ? state.last_drawer : DrawerTab::Closed);
}

}  // namespace

std::vector<ActionInfo> plot_actions() {
  return {
      {Action::ShowPlots,
       ActionGroup::Reading,
       "plots",
       N_("open or close the drawer with plots and lists"),
       {{key::V, kCtrl}},
       toggle_open},
      {Action::TogglePlotAxis,
       ActionGroup::Reading,
       "plot-axis",
       N_("plots: timeline axis or history"),
       {{key::X}},
       toggle_axis},
      {Action::TogglePlotLog,
       ActionGroup::Reading,
       "plot-log",
       N_("plots: logarithmic or linear"),
       {{key::X, kShift}},
       [](ShellState& s) { s.plots.view.logarithmic = !s.plots.view.logarithmic; }},
      {Action::PinGhost,
       ActionGroup::Reading,
       "ghost",
       N_("keep this run's curves as a ghost; again: remove"),
       {{key::Y}},
       toggle_ghost},
  };
}

}  // namespace lanescope::ui
