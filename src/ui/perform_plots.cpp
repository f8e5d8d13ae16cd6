#include "ui/perform.h"

namespace lanescope::ui {

bool perform_plots(ShellState& state, Action action) {
  switch (action) {
    case Action::TogglePlotAxis: {
      const bool now =
          state.plots_on_timeline_axis.value_or(!state.model.live() || state.view.mode() == ViewMode::Roll);
      state.plots_on_timeline_axis = !now;
      return true;
    }
    default:
      (void)state;
      return false;
  }
}

}  // namespace lanescope::ui
