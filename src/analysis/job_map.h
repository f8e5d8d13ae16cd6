// The ranks of a job and their iterations as one picture: a row for each rank, a column for each iteration, and in each
// cell how much later the rank came than the others, how long its GPU was idle and how long the iteration took.
//
// What a rank is late by is its own work, as in job_join.h: all ranks end an iteration at the same time, because they
// wait for each other. Its work before a collective is spread over the iterations in which it was done:
//
//   iterations   |----- 7 -----|----- 8 -----|
//   collectives     ]   [=====.======]             40 µs more than the others in the work before it:
//                                                  20 µs of them in iteration 7, 20 µs in iteration 8
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "analysis/job_summary.h"

namespace lanescope::analysis {

/// NaN: not known.
struct MapCell {
  float late_ns = std::numeric_limits<float>::quiet_NaN();
  float idle_ns = std::numeric_limits<float>::quiet_NaN();
  float duration_ns = std::numeric_limits<float>::quiet_NaN();
};

struct JobMap {
  static constexpr std::size_t kMostColumns = 2000;

  std::vector<std::uint64_t> iterations;  ///< the number of each column's first one, ascending
  std::uint64_t together = 1;             ///< so many iterations share a column, whose cells have their means
  std::vector<std::size_t> rows;          ///< numbers in JobReport::ranks: node by node
  std::vector<MapCell> cells;             ///< of rank 0 of the report, of rank 1, ...
  /// Nobody knows the ranks' own work. How late one is, is then by how much its iteration is longer than that of the
  /// rank in the middle of its role.
  bool by_duration = false;

  const MapCell& at(std::size_t rank, std::size_t column) const { return cells[rank * iterations.size() + column]; }
};

/// `more_ns`: of each collective, how much more work was done before it than others did; NaN: not known. Of each
/// iteration its share of that; NaN: nothing is known.
std::vector<double> more_in_iterations(const JobSummary& summary, std::span<const float> more_ns);

/// `more_ns` by rank; `nodes` and `roles`, too.
JobMap job_map(std::span<const JobSummary> ranks, std::span<const std::vector<float>> more_ns,
               std::span<const std::size_t> nodes, std::span<const std::size_t> roles);

}  // namespace lanescope::analysis
