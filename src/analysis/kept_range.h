// The stretch of a trace of which nothing is missing.
#pragma once

#include "trace/trace.h"

namespace lanescope::analysis {

struct KeptRange {
  base::Nanoseconds from = 0, to = 0;
  bool empty = true;
};

/// From the oldest event to the newest end. Where the oldest events have gone, it starts where the last of the rows
/// that lost some begins: earlier, an empty lane may only be a forgotten one.
KeptRange kept_range(const trace::Trace& trace);

}  // namespace lanescope::analysis
