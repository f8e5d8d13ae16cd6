#include "shell/plots.h"

#include <utility>

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

// A trace, or a program of the user's, is compared with the pinned run or with its own best earlier iteration.
void toggle_earlier(ShellState& state) {
  OtherSide& other = state.comparison.other;
  if (put_back(state)) return;
  if (other.run()) return other.put(nullptr);
  if (state.comparison.state.pinned()) return other.put(state.comparison.state.a());
  const auto& shown = state.view.shown_iteration();
  const auto records = state.model.analysis().records();
  const analysis::IterationRecord* best = nullptr;
  for (std::size_t i = 1; i < records.size(); ++i) {  // the first one sets up what the others use
    const analysis::IterationRecord& one = records[i];
    const bool earlier = !shown || one.end_ns <= shown->start_ns;
    if (earlier && (!best || one.duration() < best->duration())) best = &one;
  }
  if (!best) return state.show_toast(base::tr("no earlier iteration to compare with: go to a later one, or pin a run"));
  SnapshotPlan plan;
  plan.source = &state.model.trace();
  plan.from_ns = best->start_ns;
  plan.to_ns = best->end_ns;
  plan.facts = state.model.facts();
  other.put(take_snapshot(std::move(plan)));
}

void toggle_ghost(ShellState& state) {
  if (!state.model.steering()) return toggle_earlier(state);
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
       {},
       toggle_axis},
      {Action::TogglePlotLog,
       ActionGroup::Reading,
       "plot-log",
       N_("plots: logarithmic or linear"),
       {},
       [](ShellState& s) { s.plots.view.logarithmic = !s.plots.view.logarithmic; }},
      {Action::PinGhost,
       ActionGroup::Reading,
       "ghost",
       N_("ghost: these curves, or the best earlier iteration"),
       {{key::Y}},
       toggle_ghost},
  };
}

}  // namespace lanescope::ui
