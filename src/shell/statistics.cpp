#include "shell/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/time.h"
#include "io/escaped_text.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

void StatisticsState::end() {
  job.end();
  shown.clear();
  by_.reset();
  top = 0;
}

void update_statistics(ShellState& state) {
  StatisticsState& statistics = state.statistics;
  const trace::Trace& trace = state.model.trace();
  analysis::EventQuery query{.group = analysis::GroupBy::NameAndKind};
  if (!statistics.whole && state.selection.range) {
    std::tie(query.from, query.to) = *state.selection.range;
    query.lanes = state.selection.lanes;
  }
  statistics.job.update(
      state.model.shared_trace(), query, base::now(),
      [](const auto& whole, const auto& asked, const auto& watch) { return event_groups(whole, asked, watch); });
  if (!statistics.job.answer) return;
  const bool same_wish = statistics.by_ == statistics.wish;
  if (same_wish && statistics.arranged_ == statistics.job.number) return;
  if (!same_wish) {
    statistics.top = 0;
    statistics.shown.clear();
  }
  statistics.shown = arranged(statistics.job.answer->groups, trace.names(), statistics.wish, statistics.shown);
  statistics.arranged_ = statistics.job.number;
  statistics.by_ = statistics.wish;
}

std::string shown_statistics_csv(const ShellState& state) {
  const StatisticsState& statistics = state.statistics;
  if (!statistics.job.answer || statistics.shown.empty()) return "";
  return groups_csv(statistics.shown, statistics.job.answer->elapsed_ns(), state.model.trace().names());
}

std::string groups_csv(std::span<const analysis::EventGroup> groups, base::Nanoseconds elapsed,
                       const base::NameTable& names) {
  std::string csv = "name,kind,count,sum_ns,mean_ns,p50_ns,p99_ns,max_ns,min_ns,share\r\n";
  const auto all = static_cast<double>(std::max<base::Nanoseconds>(1, elapsed));
  for (const analysis::EventGroup& group : groups) {
    const analysis::DurationStats& d = group.durations;
    io::append_csv_line(
        csv, std::array{io::csv_text(names.text(group.name)), std::string(group_kind_key(group.kind)),
                        std::to_string(d.count), std::to_string(group.sum_ns), fmt::format("{:.1f}", d.mean_ns),
                        std::to_string(d.p50_ns), std::to_string(d.p99_ns), std::to_string(d.max_ns),
                        std::to_string(d.min_ns), fmt::format("{:.6f}", static_cast<double>(group.sum_ns) / all)});
  }
  return csv;
}

}  // namespace lanescope::ui
