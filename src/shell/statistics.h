// The table of statistics by name: what it covers, which lines it shows, and how it is saved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspect/trace_statistics.h"

namespace lanescope::ui {

struct ShellState;

struct StatisticsState {
  StatisticsJob job;
  LineWish wish;
  bool whole = true;               ///< of the whole trace, even if a range is selected
  std::vector<std::size_t> shown;  ///< lines of job.result, in order
  std::size_t top = 0;             ///< the first that is visible

  /// Forgets the figures; the choices stay.
  void end();

 private:
  friend void update_statistics(ShellState& state);
  std::uint64_t arranged_ = 0;  // the result that `shown` belongs to
  std::optional<LineWish> by_;
  std::vector<StatisticsLine> last_;  // as last shown, in order
};

/// Once per frame while the table is shown.
void update_statistics(ShellState& state);
/// The shown lines as CSV; empty while there are none.
std::string shown_statistics_csv(const ShellState& state);

}  // namespace lanescope::ui
