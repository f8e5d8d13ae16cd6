// Applies a theme to Dear ImGui.
#pragma once

#include "timeline/theme.h"

namespace lanescope::ui {

/// Sets the colours and metrics of the current ImGui context. `scale` multiplies every size (1 for a 1600x900 window).
void apply_to_imgui(const Theme& theme, float scale);

}  // namespace lanescope::ui
