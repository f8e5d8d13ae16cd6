// The part of a trace in which nothing is missing.
#pragma once

#include "trace/trace.h"

namespace lanescope::analysis {

struct KeptRange {
  base::Nanoseconds from = 0, to = 0;
  bool empty = true;
};

/// From the oldest event to the newest end. If events were evicted, it begins at the latest start of the rows that lost
/// some: before that, an empty lane may be an evicted one.
KeptRange kept_range(const trace::Trace& trace);

}  // namespace lanescope::analysis
