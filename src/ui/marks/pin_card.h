// A tooltip that was pinned: what it says, where its card is, and how it looks in a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ui/mark_surface.h"
#include "ui/marks/marks.h"

namespace lanescope::ui {

/// Lines of name and value under a title.
struct PinText {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;
};
/// Times count from `begin`, where the trace begins.
PinText pin_text(const trace::Trace& trace, const TimelineHit& hit, Nanoseconds begin);

/// Its card, moved so that it lies over the lanes, and the point on the lane that it is of.
struct PinPlace {
  Rect card;
  float tip_x = 0, tip_y = 0;
};
/// None where that point is out of view, or its lane hidden. `area`: label column, ruler and lanes.
std::optional<PinPlace> pin_place(const PinnedTooltip& pin, const Timeline& timeline, const TimeAxis& axis,
                                  const Rect& area, float scale, std::size_t lines);
/// Title and lines, within the card.
std::vector<Label> pin_labels(const PinText& text, const Rect& card, const Theme& theme, float scale);

/// All of them, as cards over the lanes.
void add_pins(const MarkSurface& surface, const std::vector<PinnedTooltip>& pins);

}  // namespace lanescope::ui
