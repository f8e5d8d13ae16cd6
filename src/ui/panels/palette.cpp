#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_palette(const Canvas&) {}

}  // namespace lanescope::ui
