// Draws a batch's labels with ImGui.
#pragma once

#include <span>

#include "render/fonts.h"
#include "timeline/span_batch.h"

struct ImDrawList;

namespace lanescope::ui {

/// Clips to the draw list's current clip rectangle; labels outside it cost nothing.
void draw_labels(ImDrawList& list, const Fonts& fonts, std::span<const Label> labels);

}  // namespace lanescope::ui
