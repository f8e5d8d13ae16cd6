// One iteration of another run, below the lanes: at their scale, from the start of the shown iteration, and pale.
#pragma once

#include "inspect/run_snapshot.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

class GhostLanes {
 public:
  struct Scene {
    const RunSnapshot& run;
    const Theme& theme;
    const TimeAxis& axis;      ///< of the lanes above
    Nanoseconds start_ns = 0;  ///< of the shown iteration, on that axis
    Rect area;                 ///< as wide as the lanes with their names
    float scale = 1;
    const Colouring* colouring = nullptr;
  };
  /// Fills rows(), to be clipped to place(). Nothing is drawn where the iteration is out of view.
  void prepare(const Scene& scene);
  SpanBatch& rows() { return timeline_.rows(); }
  /// From the iteration's start to its end, cut to the view.
  const Rect& place() const { return place_; }
  /// The x position of its end, even if out of view.
  float end_px() const { return end_px_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  Timeline timeline_;
  LaneLayout layout_;
  std::uint64_t of_ = 0;  // the run's number
  Rect place_;
  float end_px_ = 0;
};

}  // namespace lanescope::ui
