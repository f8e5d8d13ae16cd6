// A part of what was drawn, enlarged to the whole window: for the back row of a class.
#pragma once

#include <optional>

#include "render/grounds.h"
#include "render/offscreen.h"

namespace lanescope::ui {

/// The part that is shown `factor` times as large, in pixels. The point (x, y) stays where it is, so that what is seen
/// at the mouse is what a click there hits.
PixelArea magnified_part(float x, float y, float factor, int width, int height);

class Magnifier {
 public:
  /// Enlarges this part of the bound framebuffer to all of it. Preserves the GL state.
  void apply(const PixelArea& part, int width, int height);
  void clear() { copy_.reset(); }

 private:
  std::optional<Framebuffer> copy_;
};

}  // namespace lanescope::ui
