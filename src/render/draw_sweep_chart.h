// The chart of a sweep, possibly incomplete: a line for one axis; for two axes a heat map or, if the first has a few
// non-numeric values (pinned or not), one line per value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "picture/sweep_chart.h"
#include "render/fonts.h"
#include "timeline/span_batch.h"
#include "timeline/theme.h"

struct ImDrawList;

namespace lanescope::ui {

struct SweepChart {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  const SweepTexts& texts;
  std::optional<std::size_t> marked;  ///< a point to highlight
};

/// Draws to `area`, in logical pixels; `scale` is the font scale. Returns the point at `mouse_x`, `mouse_y`, if any.
std::optional<std::size_t> draw_sweep_chart(ImDrawList& list, const Fonts& fonts, const Theme& theme, float scale,
                                            const SweepChart& chart, const Rect& area, float mouse_x, float mouse_y);

}  // namespace lanescope::ui
