// A picture as plain data: the source of both PNG and SVG, and readable by tests.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/span_batch.h"

namespace lanescope::ui {

/// Spans with labels above them, and ribbons above these, clipped to `clip`.
struct PictureLayer {
  Rect clip;
  SpanBatch batch;
  std::vector<JobRibbon> ribbons{};
};

/// Layers from the bottom up, on a uniform background. Logical pixels.
struct PictureSheet {
  float width = 0, height = 0;
  std::uint32_t ground = 0;
  std::vector<PictureLayer> layers;
};

}  // namespace lanescope::ui
