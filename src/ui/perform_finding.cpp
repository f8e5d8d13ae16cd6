#include "ui/find/finding.h"
#include "ui/perform.h"

namespace lanescope::ui {

bool perform_finding(ShellState& state, Action action) {
  switch (action) {
    case Action::Search:
      open_search(state);
      return true;
    case Action::NextFound:
      walk_found(state, true);
      return true;
    case Action::PreviousFound:
      walk_found(state, false);
      return true;
    case Action::EventList:
      state.presentation = false;
      state.drawer = state.drawer == DrawerTab::Events ? DrawerTab::Plots : DrawerTab::Events;
      return true;
    case Action::ShowPlots:
      state.presentation = false;
      state.drawer = DrawerTab::Plots;
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::ui
