// The marks of a timeline's gutter as a picture has them: triangles of what folds, pins of what is pinned. In a window
// these are for the mouse, and drawn by whoever follows it.
#pragma once

#include "ui/timeline.h"

namespace lanescope::ui {

/// At scale 1, for a timeline that was prepared for `area`.
void add_gutter(const Timeline& timeline, const Theme& theme, const Rect& area, SpanBatch& out);

}  // namespace lanescope::ui
