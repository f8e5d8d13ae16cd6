// The run-ahead curve: operations that the CPU has issued and the GPU has not finished, over time.
#pragma once

#include "ui/rows/row.h"

namespace lanescope::ui {

class RunAheadRow final : public Row {
 public:
  float height(const RowContext& context) const override { return 58 * context.scale; }
  void prepare(const RowContext& context, float y, SpanBatch& out) override;
  std::optional<RowHit> hit(float, float) const override { return std::nullopt; }

  /// The largest value in view, and where the newest one was, as prepare() found them.
  std::int64_t peak() const { return peak_; }

 private:
  std::vector<std::int64_t> columns_;
  float shown_peak_ = 4;  // of the vertical scale: grows at once, shrinks slowly, so that the curve does not jump
  std::int64_t peak_ = 0;
};

/// Operations issued by calls that ended at or before t, and ending after t. The work of a stream starts in the order
/// of its issue, so this is a search per row: its cost does not depend on how many events there are.
std::int64_t run_ahead_at(const trace::Trace& trace, Nanoseconds t);

}  // namespace lanescope::ui
