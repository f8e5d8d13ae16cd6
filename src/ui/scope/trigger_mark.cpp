#include "ui/scope/trigger_mark.h"

#include <cmath>

namespace lanescope::ui {

void add_trigger_mark(const MarkSurface& surface, Nanoseconds instant) {
  const float x = surface.axis.to_px(instant);
  if (x < surface.axis.left_px() - 1 || x > surface.axis.right_px()) return;
  const float s = surface.frame.scale;
  const Theme& colours = surface.frame.theme;
  const float line = std::floor(x);
  surface.rows.solid(line - s, surface.lanes_top(), line + s, surface.lanes_bottom(),
                     with_alpha(colours[Colour::Accent], 0.55f));
  surface.top.solid(line - s, surface.area.y + 20 * s, line + s, surface.lanes_top(), colours[Colour::Accent]);
  // It stands where the ruler's 0 is, and says the same.
  std::erase_if(surface.top.labels, [&](const Label& label) {
    return label.font == FontRole::MonoSmall && label.align == LabelAlign::Centre &&
           std::abs(label.x + label.max_width / 2 - x) < 12 * s;
  });
  surface.top.add({x - 10 * s, surface.area.y + 5 * s, 20 * s, colours[Colour::AccentInk], FontRole::SmallBold, "T",
                   20 * s, LabelAlign::Centre, colours[Colour::Accent]});
}

}  // namespace lanescope::ui
