// The picture of a file that is still being read: what has come so far, coarsely.
#pragma once

#include <imgui.h>

#include "io/reading.h"
#include "window/canvas.h"

namespace lanescope::ui {

/// How high the picture is in a window of this height; 0 if there is nothing to draw yet.
float first_picture_height(const Canvas& canvas, const io::FirstPicture::Snapshot& look);
/// One strip for each lane, as in the trace: threads above, GPUs below. If there is no room for all, the fullest.
/// `all_read`: no event will be added.
void draw_first_picture(const Canvas& canvas, ImDrawList& list, const Rect& at, const io::FirstPicture::Snapshot& look,
                        bool all_read);

}  // namespace lanescope::ui
