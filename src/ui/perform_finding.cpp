#include "ui/perform.h"

namespace lanescope::ui {

bool perform_finding(ShellState& state, Action action) {
  switch (action) {
    case Action::ShowPlots:
      state.drawer = DrawerTab::Plots;
      return true;
    case Action::EventList:
      state.drawer = DrawerTab::Events;
      return true;
    default:
      (void)state;
      return false;
  }
}

}  // namespace lanescope::ui
