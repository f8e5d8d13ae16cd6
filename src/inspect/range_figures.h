// The figures of a selected stretch of time, computed in the background, and again while the stretch changes or grows.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "base/background_job.h"
#include "inspect/range_statistics.h"

namespace lanescope::ui {

struct RangeResult {
  std::pair<Nanoseconds, Nanoseconds> range{};
  std::vector<trace::LaneId> lanes;
  std::int64_t events = 0;  ///< on all lanes, at the time of the computation
  analysis::Summary summary;
  RangeStatistics statistics;
};

class RangeFigures {
 public:
  using Clock = std::chrono::steady_clock;

  std::pair<Nanoseconds, Nanoseconds> range{};  ///< the range of `summary` and `statistics`
  std::vector<trace::LaneId> lanes;
  std::optional<analysis::Summary> summary;  ///< empty while there is nothing to show yet
  RangeStatistics statistics;                ///< for the selected lanes
  std::uint64_t number = 0;                  ///< changes with every new result

  // The user's sort order of the names.
  StatisticsColumn sorted_by = StatisticsColumn::Sum;
  bool ascending = false;
  // The bin last highlighted, and since when.
  std::optional<std::size_t> lit_bin;
  std::optional<Clock::time_point> lit_since;

  /// Call once per frame with the selection, if any. Few events are analysed at once, many in the background; the
  /// previous result stays until the next is ready.
  void update(const trace::SharedTrace& trace, const std::optional<std::pair<Nanoseconds, Nanoseconds>>& wanted_range,
              const std::vector<trace::LaneId>& wanted_lanes, Clock::time_point now);
  /// A computation is running, or due as soon as enough time has passed since the last one.
  bool busy() const { return job_.busy() || due_; }

 private:
  void take(RangeResult result);

  base::BackgroundJob<RangeResult> job_;
  std::pair<Nanoseconds, Nanoseconds> asked_range_{};  // of the running computation
  std::vector<trace::LaneId> asked_lanes_;
  std::int64_t events_ = 0;
  bool due_ = false;
  Clock::time_point started_{};
};

}  // namespace lanescope::ui
