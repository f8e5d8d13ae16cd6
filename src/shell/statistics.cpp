#include "shell/statistics.h"

#include <utility>

#include "base/clock.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

void StatisticsState::end() {
  job.end();
  shown.clear();
  last_.clear();
  by_.reset();
  arranged_ = 0;
  top = 0;
}

void update_statistics(ShellState& state) {
  StatisticsState& statistics = state.statistics;
  const bool whole = statistics.whole || !state.selection.range;
  static const std::vector<trace::LaneId> kAllLanes;
  statistics.job.update(state.model.shared_trace(), whole ? std::nullopt : state.selection.range,
                        whole ? kAllLanes : state.selection.lanes, base::now());
  if (!statistics.job.result) return;
  const bool same_wish = statistics.by_ == statistics.wish;
  if (same_wish && statistics.arranged_ == statistics.job.number) return;
  if (!same_wish) {
    statistics.top = 0;
    statistics.last_.clear();
  }
  const TraceStatistics& result = *statistics.job.result;
  statistics.shown = arranged_lines(result, state.model.trace().names(), statistics.wish, statistics.last_);
  statistics.last_.clear();
  for (const std::size_t i : statistics.shown) statistics.last_.push_back(result.lines[i]);
  statistics.arranged_ = statistics.job.number;
  statistics.by_ = statistics.wish;
}

std::string shown_statistics_csv(const ShellState& state) {
  const auto& result = state.statistics.job.result;
  if (!result || state.statistics.shown.empty()) return "";
  return statistics_csv(*result, state.model.trace().names(), state.statistics.shown);
}

}  // namespace lanescope::ui
