// A picture as plain data, from which PNG and SVG are made alike, and which a test reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/gl/draw_target.h"
#include "ui/span_batch.h"

namespace lanescope::ui {

/// Spans, and labels over them; nothing of it shows outside `clip`.
struct PictureLayer {
  Rect clip;
  SpanBatch batch;
};

/// Layers from the bottom up, on a ground of one colour. Logical pixels.
struct PictureSheet {
  float width = 0, height = 0;
  std::uint32_t ground = 0;
  std::vector<PictureLayer> layers;
};

}  // namespace lanescope::ui
