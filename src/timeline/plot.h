// A line plot with a gradient below it, as plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/rect.h"

namespace lanescope::ui {

/// The values in one column of pixels. If nothing is known, the mean is NaN, and the line has a gap.
struct PlotColumn {
  float min = 0, max = 0, mean = 0;
};

struct Plot {
  Rect box;                 ///< position
  float low = 0, high = 1;  ///< the values at the bottom and the top of the box
  std::uint32_t line = 0;   ///< colour of the line through the means; a lighter shade from min to max
  std::uint32_t fill = 0;   ///< below the line: full alpha at the top of the box, fading to 0 at the bottom
  float line_width = 1.75f;
  float dash = 0;        ///< > 0: length of a dash in logical pixels, with gaps 0.6 times as long
  float dash_from = 0;   ///< position along the axis where a dash begins
  bool stepped = false;  ///< each value holds for its whole column (a count); otherwise values are joined by lines
  std::vector<PlotColumn> columns;  ///< evenly spaced over the box's width; ideally one per logical pixel
};

}  // namespace lanescope::ui
