#include "ui/perform.h"

namespace lanescope::ui {

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
    case Action::Resume:
      state.view.resume();
      return true;
    default:
      (void)state;
      return false;
  }
}

}  // namespace lanescope::ui
