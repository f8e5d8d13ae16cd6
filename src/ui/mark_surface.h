// Where things are drawn over the lanes beside their events: rulers, notes, what was found, what caused what.
#pragma once

#include "ui/timeline.h"

namespace lanescope::ui {

/// One frame's timeline after Timeline::prepare(). Times become pixels by `axis` alone, places of events and lanes are
/// Timeline's business.
struct MarkSurface {
  const TimelineFrame& frame;
  const Timeline& timeline;
  const TimeAxis& axis;
  Rect area;        ///< label column, ruler and lanes
  SpanBatch& rows;  ///< drawn over the lanes, clipped to them
  SpanBatch& top;   ///< drawn over the ruler, clipped to it

  float lanes_top() const { return area.y + Timeline::kRulerHeight * frame.scale; }
  float lanes_bottom() const { return area.y + area.height; }
};

}  // namespace lanescope::ui
