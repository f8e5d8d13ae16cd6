// The table of statistics by name: what it covers, which lines it shows, and how it is saved.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/event_groups.h"
#include "analysis/query_job.h"

namespace lanescope::ui {

struct ShellState;

struct StatisticsState {
  analysis::QueryJob<analysis::EventGroups> job{std::chrono::seconds(1)};
  analysis::GroupWish wish;
  bool whole = true;                        ///< of the whole trace, even if a range is selected
  std::vector<analysis::EventGroup> shown;  ///< those of job.answer that are wanted, in order
  std::size_t top = 0;                      ///< the first that is visible

  /// Forgets the figures; the choices stay.
  void end();

 private:
  friend void update_statistics(ShellState& state);
  std::uint64_t arranged_ = 0;  // the answer that `shown` belongs to
  std::optional<analysis::GroupWish> by_;
};

/// Once per frame while the table is shown.
void update_statistics(ShellState& state);
/// The shown lines as CSV; empty while there are none.
std::string shown_statistics_csv(const ShellState& state);
/// With a header; durations in nanoseconds, the share of the elapsed time as a fraction.
std::string groups_csv(std::span<const analysis::EventGroup> groups, base::Nanoseconds elapsed,
                       const base::NameTable& names);

}  // namespace lanescope::ui
