// The marks in a timeline's gutter for pictures: triangles for folding, pins for pinned lanes. The window draws its
// own, which react to the mouse.
#pragma once

#include "timeline/timeline.h"

namespace lanescope::ui {

/// At scale 1, for a timeline prepared for `area`.
void add_gutter(const Timeline& timeline, const Theme& theme, const Rect& area, SpanBatch& out);

}  // namespace lanescope::ui
