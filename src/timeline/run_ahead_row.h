// The run-ahead curve: operations issued by the CPU and not finished by the GPU, over time (analysis::InFlight).
// Without an analysis, the row is empty.
#pragma once

#include "timeline/lane_row.h"

namespace lanescope::ui {

class RunAheadRow {
 public:
  static constexpr float kHeight = 58;
  float height(const RowContext& context) const { return kHeight * context.scale; }
  void prepare(const RowContext& context, float y, SpanBatch& out);

  /// The maximum in view, as found by prepare().
  std::int64_t peak() const { return peak_; }

 private:
  std::vector<std::int64_t> columns_;
  float shown_peak_ = 4;  // of the vertical scale: grows at once, shrinks slowly, so that the curve does not jump
  std::int64_t peak_ = 0;
};

}  // namespace lanescope::ui
