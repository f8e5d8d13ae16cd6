// A rectangle on the screen or in a picture.
#pragma once

namespace lanescope::ui {

/// In logical pixels, from the top left.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};

}  // namespace lanescope::ui
