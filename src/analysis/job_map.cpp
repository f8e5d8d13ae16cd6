#include "analysis/job_map.h"

#include <algorithm>
#include <numeric>

#include "analysis/intervals.h"

namespace lanescope::analysis {
namespace {

constexpr double kIterationUnit = OwnWork::kUnit;  // of the times in an iteration, too

double end_of(const JobIteration& iteration) {
  return static_cast<double>(iteration.start_ns) + kIterationUnit * iteration.duration;
}

/// The columns: as few iterations in each as all ranks allow.
void find_columns(JobMap& map, std::span<const JobSummary> ranks) {
  for (const JobSummary& rank : ranks) map.together = std::max(map.together, rank.iteration_stride);
  std::vector<std::uint64_t>& columns = map.iterations;
  const auto sort = [&] {
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
  };
  std::size_t sorted = 0;
  for (const JobSummary& rank : ranks) {
    for (const JobIteration& one : rank.iterations) {
      const std::uint64_t column = one.number / map.together;
      if (columns.empty() || columns.back() != column) columns.push_back(column);
    }
    if (columns.size() < 2 * (sorted + JobMap::kMostColumns)) continue;
    sort();
    sorted = columns.size();
  }
  sort();
  while (columns.size() > JobMap::kMostColumns) {
    map.together *= 2;
    for (std::uint64_t& column : columns) column /= 2;
    sort();
  }
}

/// The mean of what is known.
class CellMean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  float value() const {
    return count_ > 0 ? static_cast<float>(sum_ / count_) : std::numeric_limits<float>::quiet_NaN();
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// How much longer than that of the rank in the middle of its role, of an even number the faster one.
void late_by_duration(JobMap& map, std::span<const std::size_t> roles) {
  map.by_duration = true;
  const std::size_t columns = map.iterations.size();
  std::vector<std::vector<std::size_t>> of_role;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (roles[r] >= of_role.size()) of_role.resize(roles[r] + 1);
    of_role[roles[r]].push_back(r);
  }
  std::vector<float> durations;
  for (const std::vector<std::size_t>& ranks : of_role) {
    for (std::size_t c = 0; c < columns; ++c) {
      durations.clear();
      for (const std::size_t r : ranks) {
        if (const float ns = map.at(r, c).duration_ns; !std::isnan(ns)) durations.push_back(ns);
      }
      if (durations.size() < 2) continue;
      const float middle = low_median(durations);
      for (const std::size_t r : ranks) {
        MapCell& cell = map.cells[r * columns + c];
        cell.late_ns = cell.duration_ns - middle;
      }
    }
  }
}

}  // namespace

std::vector<double> more_in_iterations(const JobSummary& summary, std::span<const float> more_ns) {
  const std::vector<JobIteration>& iterations = summary.iterations;
  std::vector<double> of(iterations.size(), std::numeric_limits<double>::quiet_NaN());
  if (iterations.empty()) return of;
  const auto add = [&](std::size_t i, double ns) { of[i] = std::isnan(of[i]) ? ns : of[i] + ns; };
  std::size_t first = 0;  // that may meet what follows
  for (std::size_t k = 0; k < summary.collectives.size(); ++k) {
    const auto to = static_cast<double>(summary.collectives[k].start_ns);
    const double from = k > 0 ? std::min(to, static_cast<double>(summary.collectives[k - 1].end_ns)) : to;
    while (first + 1 < iterations.size() && end_of(iterations[first]) <= from) ++first;
    if (std::isnan(more_ns[k])) continue;
    const auto more = static_cast<double>(more_ns[k]);
    for (std::size_t i = first; i < iterations.size() && static_cast<double>(iterations[i].start_ns) <= to; ++i) {
      const auto start = static_cast<double>(iterations[i].start_ns);
      const double common = std::min(to, end_of(iterations[i])) - std::max(from, start);
      if (to > from) {
        if (common > 0) add(i, more * common / (to - from));
      } else if (to < end_of(iterations[i])) {  // a moment
        add(i, more);
      }
    }
  }
  return of;
}

JobMap job_map(std::span<const JobSummary> ranks, std::span<const std::vector<float>> more_ns,
               std::span<const std::size_t> nodes, std::span<const std::size_t> roles) {
  JobMap map;
  find_columns(map, ranks);
  const std::size_t columns = map.iterations.size();
  map.rows.resize(ranks.size());
  std::iota(map.rows.begin(), map.rows.end(), std::size_t{0});
  std::ranges::stable_sort(map.rows, {}, [&](std::size_t r) { return nodes[r]; });
  map.cells.resize(ranks.size() * columns);
  bool any = false;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::vector<JobIteration>& iterations = ranks[r].iterations;
    const std::vector<double> more = more_in_iterations(ranks[r], more_ns[r]);
    for (std::size_t i = 0; i < iterations.size();) {
      const std::uint64_t column = iterations[i].number / map.together;
      CellMean late, idle, duration;
      for (; i < iterations.size() && iterations[i].number / map.together == column; ++i) {
        const JobIteration& one = iterations[i];
        late.add(more[i]);
        idle.add(kIterationUnit * std::accumulate(one.idle.begin(), one.idle.end(), 0.0));
        duration.add(kIterationUnit * one.duration);
      }
      const auto place = std::ranges::lower_bound(map.iterations, column) - map.iterations.begin();
      MapCell& cell = map.cells[r * columns + static_cast<std::size_t>(place)];
      cell = {late.value(), idle.value(), duration.value()};
      any |= !std::isnan(cell.late_ns);
    }
  }
  if (!any) late_by_duration(map, roles);
  for (std::uint64_t& number : map.iterations) number *= map.together;
  return map;
}

}  // namespace lanescope::analysis
