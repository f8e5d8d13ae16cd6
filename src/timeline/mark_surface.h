// Where things other than events are drawn over the lanes: rulers, notes, search results, causes.
#pragma once

#include "timeline/timeline.h"

namespace lanescope::ui {

/// One frame's timeline after Timeline::prepare(). `axis` converts times to pixels; `timeline` knows the positions of
/// events and lanes.
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
