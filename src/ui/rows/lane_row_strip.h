// Where one sub-row of a lane is drawn; shared by the files that draw its events.
#pragma once

#include "ui/rows/lane_row.h"

namespace lanescope::ui {

struct LaneRow::Strip {
  const trace::Row* row;
  std::size_t number;
  trace::LaneKind kind;
  float y0, y1;
  bool computes;  // the ops of a CPU
  bool labels;    // high enough for text

  float rounding(float width, float scale) const { return width > 8 && labels ? kRounding * scale : 0; }
};

}  // namespace lanescope::ui
