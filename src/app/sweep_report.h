// Formats a sweep as JSON and as a table. All texts end with a line feed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/terminal.h"
#include "experiment/sweep.h"

namespace lanescope::app {

struct SweepReport {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  std::string unit;
  std::string title;  ///< of the experiment, if there is one
};

std::string sweep_json(const SweepReport& report);
/// One axis: a line with a bar per point. Two: a matrix, with the first axis downwards.
std::string sweep_table(const SweepReport& report, const Style& style);
/// One line per failed point: "batch_size=8: why".
std::vector<std::string> failures(const SweepReport& report);

}  // namespace lanescope::app
