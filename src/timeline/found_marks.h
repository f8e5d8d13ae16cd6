// Search results on the lanes and on the ruler.
#pragma once

#include <vector>

#include "inspect/search.h"
#include "timeline/mark_shapes.h"

namespace lanescope::ui {

/// Highlights the results on the lanes and as ticks on the ruler. Cost depends on the number of pixels.
void add_found(const MarkSurface& surface, const SearchState& search);
/// Highlights the event that the mouse points at in a list.
void add_pointed(const MarkSurface& surface, const EventRef& event);
/// Positions of results on an axis, left to right, at least `apart` pixels apart: for the ruler and the overview strip.
std::vector<float> found_ticks(const SearchState& search, const TimeAxis& axis, float apart = 2);

}  // namespace lanescope::ui
