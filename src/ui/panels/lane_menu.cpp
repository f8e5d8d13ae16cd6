#include "ui/panels/panels.h"

namespace lanescope::ui {

void handle_lane_names(const Canvas&, const Rect&) {}

}  // namespace lanescope::ui
