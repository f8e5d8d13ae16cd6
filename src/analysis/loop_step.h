// Converts totals to a LoopStep (pace.h).
#pragma once

#include "analysis/live_analysis.h"
#include "analysis/pace.h"

namespace lanescope::analysis {

/// `in_parts`: not everything was recorded. Of most iterations the operations are unknown then, and with them the state
/// of the launch queue, so that only the waits tell where a period begins and ends.
inline LoopStep loop_step(const IterationRecord& r, bool in_parts = false) {
  if (in_parts) return {r.start_ns, r.end_ns, r.number, r.sync_count, 0, 0, 0, true};
  return {r.start_ns, r.end_ns, r.number, r.sync_count, r.launch_count, r.gpu_op_count, r.in_flight};
}

}  // namespace lanescope::analysis
