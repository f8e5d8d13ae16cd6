#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_go_to(const Canvas&) {}

}  // namespace lanescope::ui
