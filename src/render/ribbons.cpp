#include "render/ribbons.h"

#include <imgui.h>

namespace lanescope::ui {

void draw_ribbons(ImDrawList& list, std::span<const JobRibbon> ribbons, float stroke) {
  for (const JobRibbon& r : ribbons) {
    list.AddQuadFilled({r.top_left, r.top}, {r.top_right, r.top}, {r.bottom_right, r.bottom}, {r.bottom_left, r.bottom},
                       r.fill);
    list.AddLine({r.top_left, r.top}, {r.bottom_left, r.bottom}, r.edge, stroke);
  }
}

}  // namespace lanescope::ui
