// Counts the events with a duration in a stretch of a trace, by searches only.
#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace lanescope::analysis {

/// True if the lane's events have a duration; those of markers and counters are instants.
inline bool has_intervals(trace::LaneKind kind) {
  return kind != trace::LaneKind::Markers && kind != trace::LaneKind::Counter;
}

/// The events of `lanes` (empty: all lanes) that start in [from, to).
std::int64_t count_starting(const trace::Trace& trace, base::Nanoseconds from, base::Nanoseconds to,
                            std::span<const trace::LaneId> lanes = {});

}  // namespace lanescope::analysis
