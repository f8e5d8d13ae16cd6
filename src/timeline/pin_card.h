// A pinned tooltip: its text, the position of its card, and its appearance in a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "timeline/mark_surface.h"
#include "timeline/marks.h"

namespace lanescope::ui {

/// A title, and lines of name and value.
struct PinText {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;
};
/// Times are relative to `begin`, the start of the trace.
PinText pin_text(const trace::Trace& trace, const TimelineHit& hit, Nanoseconds begin);

/// The card, moved to lie over the lanes, and its target point on the lane.
struct PinPlace {
  Rect card;
  float tip_x = 0, tip_y = 0;
};
/// Empty if that point is out of view or its lane is hidden. `area`: label column, ruler and lanes.
std::optional<PinPlace> pin_place(const PinnedTooltip& pin, const Timeline& timeline, const TimeAxis& axis,
                                  const Rect& area, float scale, std::size_t lines);
/// Title and lines within the card.
std::vector<Label> pin_labels(const PinText& text, const Rect& card, const Theme& theme, float scale);

/// Draws all of them as cards over the lanes.
void add_pins(const MarkSurface& surface, const std::vector<PinnedTooltip>& pins);

}  // namespace lanescope::ui
