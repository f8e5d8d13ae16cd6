// The last N pictures laid over each other, aligned at their triggers: the mean of every event, and behind it how often
// the lane was busy at each instant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"
#include "ui/span_batch.h"
#include "ui/theme.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct AverageSettings {
  bool on = false;
  int count = 32;  ///< pictures, 2 to 256

  bool operator==(const AverageSettings&) const = default;
};

class AveragePicture {
 public:
  /// Lays the windows [t - before, t + after) of all `triggers` over each other. Times in the result count from the
  /// trigger. Lanes with too many events per window for an average have their occupancy only.
  void compute(const trace::Trace& trace, std::span<const Nanoseconds> triggers, Nanoseconds before, Nanoseconds after);
  void clear() { *this = {}; }
  std::size_t count() const { return count_; }
  bool has(trace::LaneId lane) const;
  /// Draws a lane's average into [y, y + height); instant 0 of the average stands at `trigger_ns` on the axis.
  void draw(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y, float height,
            float scale, SpanBatch& out) const;

 private:
  std::size_t count_ = 0;
};

/// What the shell keeps of the oscilloscope; the trigger's settings are ViewControl's.
struct ScopeState {
  AverageSettings average;
  AveragePicture picture;
  bool panel_open = false;
};

}  // namespace lanescope::ui
