// What joins the parts of a collective from one GPU's band to the next.
#pragma once

#include <cstdint>

namespace lanescope::ui {

/// Between two bands: from a collective's part in the upper one to that in the lower one.
struct JobRibbon {
  float top = 0, bottom = 0;
  float top_left = 0, top_right = 0, bottom_left = 0, bottom_right = 0;
  std::uint32_t fill = 0, edge = 0;
};

}  // namespace lanescope::ui
