#include "base/translate.h"
#include "ui/perform.h"

namespace lanescope::ui {

using base::tr;

bool perform_plots(ShellState& state, Action action) {
  switch (action) {
    case Action::TogglePlotAxis: {
      const bool now =
          state.plots_on_timeline_axis.value_or(!state.model.live() || state.view.mode() == ViewMode::Roll);
      state.plots_on_timeline_axis = !now;
      return true;
    }
    case Action::TogglePlotLog:
      state.plots_view.logarithmic = !state.plots_view.logarithmic;
      return true;
    case Action::PinGhost:
      if (!state.ghost.empty()) {
        state.ghost = {};
        return true;
      }
      state.ghost = pin_ghost(state.model);
      if (state.ghost.empty()) {
        state.show_toast(tr("No curve to keep yet: fewer than two iterations have ended since the last knob change"));
      }
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
