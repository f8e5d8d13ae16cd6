// One row of the timeline: prepare (fold to pixels) ▸ draw ▸ hit-test ▸ tooltip. Prepare writes plain rectangles and
// labels into a batch; nothing in a row knows OpenGL or ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "trace/trace.h"
#include "ui/span_batch.h"
#include "ui/theme.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

using base::Nanoseconds;

/// What all rows of one frame share.
struct RowContext {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< for the share of waiting in folded calls; may be missing
  const TimeAxis& axis;
  const Theme& theme;
  Nanoseconds live_edge = 0;  ///< nothing is drawn beyond
  float scale = 1;            ///< of lengths, for large fonts
  bool live = false;          ///< more is to come after the live edge
  float row_height = 0;       ///< what the row that is prepared has; 0: its own height()
};

/// What is under the mouse in a row: one event, or several that share a few pixels.
struct RowHit {
  std::size_t row = 0;  ///< sub-row
  trace::EventIndex first = 0, last = 0;
  bool single() const { return last - first == 1; }
};

class Row {
 public:
  virtual ~Row() = default;
  virtual float height(const RowContext& context) const = 0;
  virtual void prepare(const RowContext& context, float y, SpanBatch& out) = 0;
  /// By what prepare() drew last; y counts from the row's top.
  virtual std::optional<RowHit> hit(float x, float y) const = 0;
};

}  // namespace lanescope::ui
