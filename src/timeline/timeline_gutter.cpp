#include "timeline/timeline.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr float kStep = 0.25f;  // in pixels of a triangle: sharp when enlarged

// Down: unfolded. Right: folded.
void add_triangle(SpanBatch& out, float x, float y, bool folded, std::uint32_t colour) {
  constexpr float kReach = 3.5f, kBack = 0.6f * kReach, kLength = 1.4f * kReach;
  for (float along = 0; along < kLength; along += kStep) {
    const float half = kReach * (1 - along / kLength);
    const float at = -kBack + along;
    if (folded) {
      out.solid(x + at, y - half, x + at + kStep, y + half, colour);
    } else {
      out.solid(x - half, y + at, x + half, y + at + kStep, colour);
    }
  }
}

void add_pin(SpanBatch& out, float x, float y, std::uint32_t colour) {
  out.solid(x - 2.5f, y - 5, x + 2.5f, y, colour, 1);
  out.solid(x - 4.5f, y, x + 4.5f, y + 1.6f, colour, 0.8f);
  out.solid(x - 0.7f, y + 1.6f, x + 0.7f, y + 6, colour);
}

}  // namespace

void add_gutter(const Timeline& timeline, const Theme& theme, const Rect& area, SpanBatch& out) {
  const float fixed = timeline.pane(Pane::Cpu).fixed_bottom;  // pictures have one pane
  for (const HeadingPlace& heading : timeline.headings()) {
    const float y = heading.rect.y + heading.rect.height - 12;
    if (heading.sticks || y >= fixed) add_triangle(out, area.x + 20, y, heading.folded, theme[Colour::Dim]);
  }
  for (const LanePlace& place : timeline.places()) {
    if (!place.stands_still && place.rect.y < fixed) continue;
    if (place.folded) {
      add_triangle(out, area.x + 8, place.rect.y + std::min(place.rect.height, 22.0f) / 2, true, theme[Colour::Muted]);
    }
    if (place.pinned) {
      add_pin(out, area.x + Timeline::kLabelWidth - 32, place.rect.y + std::min(place.rect.height, 34.0f) / 2,
              theme[Colour::Accent]);
    }
  }
}

}  // namespace lanescope::ui
