// Formats an experiment's run beside the published numbers. All texts end with a line feed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/run_report.h"
#include "experiment/comparison.h"
#include "experiment/experiment.h"

namespace lanescope::app {

struct PublishedRow {
  experiment::Compared compared;
  bool simulated = true;  ///< this run's figure is simulated
  experiment::Checking checking;
};

struct ExperimentReport {
  const experiment::Experiment& experiment;
  std::optional<experiment::Side> side;           ///< the requested side; empty: both
  std::array<std::optional<RunFigures>, 2> runs;  ///< by side; empty if ended early
  std::vector<PublishedRow> rows;
};

/// Both sides: like comparison_json(); one side: like summary_json(). In addition "experiment", "published" and
/// "simulated_or_measured".
Json experiment_json(const ExperimentReport& report);
std::string experiment_table(const ExperimentReport& report, const Style& style);

}  // namespace lanescope::app
