// What all rows of the timeline are given: prepare (fold to pixels) ▸ draw ▸ hit-test ▸ tooltip. prepare() writes plain
// rectangles and labels to a batch; rows do not depend on OpenGL or ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "timeline/span_batch.h"
#include "timeline/theme.h"
#include "timeline/time_axis.h"
#include "trace/trace.h"

namespace lanescope::ui {

class EventColours;

using base::Nanoseconds;

/// Common to all rows of a frame.
struct RowContext {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< for the share of waiting in folded calls; may be null
  const TimeAxis& axis;
  const Theme& theme;
  Nanoseconds live_edge = 0;        ///< nothing is drawn beyond
  float scale = 1;                  ///< scales lengths, for large fonts
  bool live = false;                ///< more will come after the live edge
  float row_height = 0;             ///< height of the row being prepared; 0: its own height()
  EventColours* colours = nullptr;  ///< null: each event has the colour of its kind
};

/// What is under the mouse in a row: one event, or several that share a few pixels.
struct RowHit {
  std::size_t row = 0;  ///< sub-row
  trace::EventIndex first = 0, last = 0;
  bool single() const { return last - first == 1; }
};

}  // namespace lanescope::ui
