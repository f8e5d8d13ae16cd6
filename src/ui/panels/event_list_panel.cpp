#include "ui/panels/panels.h"

namespace lanescope::ui {

void draw_event_list(const Canvas&) {}

}  // namespace lanescope::ui
