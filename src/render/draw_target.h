// The target of the renderers.
#pragma once

#include "timeline/span_batch.h"

namespace lanescope::ui {

/// The bound framebuffer: its size in logical pixels, and its pixels per logical pixel.
struct DrawTarget {
  float width = 0, height = 0;
  float scale = 1;
};

}  // namespace lanescope::ui
