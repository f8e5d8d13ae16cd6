// The figures of a selected stretch of time, worked out beside the drawing, and again while it changes or grows.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "ui/find/background_job.h"
#include "ui/find/range_statistics.h"

namespace lanescope::ui {

struct RangeResult {
  std::pair<Nanoseconds, Nanoseconds> range{};
  std::vector<trace::LaneId> lanes;
  std::int64_t events = 0;  ///< on all lanes, when it was worked out
  analysis::Summary summary;
  RangeStatistics statistics;
};

class RangeFigures {
 public:
  using Clock = std::chrono::steady_clock;

  std::pair<Nanoseconds, Nanoseconds> range{};  ///< which `summary` and `statistics` are of
  std::vector<trace::LaneId> lanes;
  std::optional<analysis::Summary> summary;  ///< empty while there is nothing to show yet
  RangeStatistics statistics;                ///< of the selected lanes
  std::uint64_t number = 0;                  ///< changes with every new result

  // How a person has sorted the names.
  StatisticsColumn sorted_by = StatisticsColumn::Sum;
  bool ascending = false;
  // The bin that was lit last, and since when.
  std::optional<std::size_t> lit_bin;
  std::optional<Clock::time_point> lit_since;

  /// Once per frame with what is selected, if anything is. Few events are worked out at once, many beside the drawing;
  /// what has been shown stays until the next is there.
  void update(const trace::Trace& trace, const std::optional<std::pair<Nanoseconds, Nanoseconds>>& wanted_range,
              const std::vector<trace::LaneId>& wanted_lanes, Clock::time_point now);
  /// Nothing is under way afterwards: before the trace goes.
  void end() { job_.end(); }
  /// It is being worked out, or will be as soon as the last one is long enough ago.
  bool busy() const { return job_.busy() || due_; }

 private:
  void take(RangeResult result);

  BackgroundJob<RangeResult> job_;
  std::pair<Nanoseconds, Nanoseconds> asked_range_{};  // of the piece under way
  std::vector<trace::LaneId> asked_lanes_;
  std::int64_t events_ = 0;
  bool due_ = false;
  Clock::time_point started_{};
};

}  // namespace lanescope::ui
