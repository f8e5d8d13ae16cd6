#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_trigger_panel(const Canvas&) {}

}  // namespace lanescope::ui
