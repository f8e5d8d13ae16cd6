// Draws the ribbons between the bands of several GPUs.
#pragma once

#include <span>

#include "timeline/span_batch.h"

struct ImDrawList;

namespace lanescope::ui {

void draw_ribbons(ImDrawList& list, std::span<const JobRibbon> ribbons, float stroke);

}  // namespace lanescope::ui
