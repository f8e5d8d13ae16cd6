#include "ui/panels/panels.h"

namespace lanescope::ui {

void update_causes(ShellState&) {}

}  // namespace lanescope::ui
