// Converts totals to a LoopStep (pace.h).
#pragma once

#include "analysis/live_analysis.h"
#include "analysis/pace.h"

namespace lanescope::analysis {

inline LoopStep loop_step(const IterationRecord& r) {
  return {r.start_ns, r.end_ns, r.number, r.sync_count, r.launch_count, r.gpu_op_count, r.in_flight};
}

}  // namespace lanescope::analysis
