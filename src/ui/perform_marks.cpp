#include "ui/perform.h"

namespace lanescope::ui {

bool perform_marks(ShellState& state, Action action) {
  switch (action) {
    default:
      (void)state;
      return false;
  }
}

}  // namespace lanescope::ui
