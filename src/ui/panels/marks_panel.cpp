#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_marks_list(const Canvas&) {}

}  // namespace lanescope::ui
