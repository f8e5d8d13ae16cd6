// The curves of an earlier run, pinned: drawn pale behind the plots of the runs that follow, aligned at their starts.
#pragma once

#include <string>
#include <vector>

#include "analysis/live_analysis.h"

namespace lanescope::ui {

struct GhostRun {
  std::string title;  ///< "pinned false", what differed, or the run's title
  base::Nanoseconds begin_ns = 0;
  std::vector<analysis::IterationRecord> records;
  bool empty() const { return records.empty(); }
};

}  // namespace lanescope::ui
