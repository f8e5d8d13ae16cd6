#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_found(const Canvas&) {}

}  // namespace lanescope::ui
