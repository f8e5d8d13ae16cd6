#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_picture_panel(const Canvas&) {}

}  // namespace lanescope::ui
