#include "ui/perform.h"

namespace lanescope::ui {

bool perform_code(ShellState& state, Action action) {
  if (action != Action::CodeView) return false;
  bool& shown = state.preferences.code_view;
  shown = !shown;
  state.drawer = shown ? DrawerTab::Code : DrawerTab::Plots;
  return true;
}

}  // namespace lanescope::ui
