#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_keys_panel(const Canvas&) {}

}  // namespace lanescope::ui
