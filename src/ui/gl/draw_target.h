// What the renderers draw into.
#pragma once

namespace lanescope::ui {

/// In logical pixels, from the top left.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};

/// The framebuffer that is bound: its size in logical pixels, and how many of its pixels one logical pixel has.
struct DrawTarget {
  float width = 0, height = 0;
  float scale = 1;
};

}  // namespace lanescope::ui
