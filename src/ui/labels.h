// Draws a batch's labels through ImGui.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ui/fonts.h"
#include "ui/span_batch.h"

struct ImDrawList;

namespace lanescope::ui {

/// Clips with the draw list's current clip rectangle; labels outside it cost nothing.
void draw_labels(ImDrawList& list, const Fonts& fonts, std::span<const Label> labels);

/// `text`, or as much of it as fits into `max_width` followed by "…", or "" where under four letters would stay.
std::string fit_text(const Fonts& fonts, FontRole role, std::string_view text, float max_width);

/// The width of one line of text in logical pixels.
float text_width(const Fonts& fonts, FontRole role, std::string_view text);

}  // namespace lanescope::ui
