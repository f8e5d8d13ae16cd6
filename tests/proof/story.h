// An experiment's two sides, run as `lanescope run --experiment` runs them, with fewer iterations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/published_numbers.h"

namespace lanescope::proof {

using Settings = std::vector<std::string>;

/// One side's run.
class SideRun {
 public:
  SideRun(const experiment::Experiment& experiment, experiment::Side side, const experiment::RunChoice& choice);
  SideRun(const experiment::Experiment& experiment, experiment::Side side, std::uint64_t iterations, Settings more = {})
      : SideRun(experiment, side, {.device = {}, .iterations = iterations, .assignments = std::move(more)}) {}

  /// A figure by its name in the data; fails the test if it does not exist.
  double operator[](std::string_view figure) const;
  std::optional<double> maybe(std::string_view figure) const;
  /// The whole loop with its last synchronisation, per iteration: running ahead gains nothing.
  double us_per_iteration() const { return 1e6 * (*this)["total_s"]; }
  const analysis::Summary& summary() const { return measured_.summary; }
  const experiment::Measured& measured() const { return measured_; }
  /// Syncs except the one at the end of every program, over all iterations.
  std::int64_t syncs() const { return summary().sync_count - 1; }
  double iterations() const { return static_cast<double>(summary().iteration.count); }
  /// How long copies ran beside kernels, per iteration.
  double overlap_us() const;

 private:
  experiment::Measured measured_;
};

class Story {
 public:
  explicit Story(std::string_view id, std::uint64_t iterations = 0, const std::string& device = {}, Settings more = {});

  const experiment::Experiment& data() const { return data_; }
  const SideRun& before() const { return before_; }
  const SideRun& after() const { return after_; }
  /// before / after
  double gain(std::string_view figure = "total_s") const { return before_[figure] / after_[figure]; }
  /// A published number, and this program's value for it.
  experiment::Compared compared(std::string_view name) const;

 private:
  const experiment::Experiment& data_;
  experiment::RunChoice choice_;
  SideRun before_, after_;
};

}  // namespace lanescope::proof
