// Where a lane's events were not recorded, as stretches to draw. Cost depends on the pixels, not on the bursts: where
// these are too narrow to be seen, each cell of a fixed grid has the share that is missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timeline/time_axis.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct MissingStretch {
  Nanoseconds from = 0, to = 0;
  float share = 1;  ///< of its time; 1: nothing was recorded

  bool operator==(const MissingStretch&) const = default;
};

/// A lane's process, with a GPU lane's as in trace::Owners. Null if everything on the lane is known.
const trace::Coverage* coverage_of(const trace::Trace& trace, const trace::Owners& owners, trace::LaneId lane);
/// In [from, to), ascending; with `calls`, of API calls. Requires a Trace::ReadLock.
std::vector<MissingStretch> missing_stretches(const trace::Coverage& coverage, const TimeAxis& axis, Nanoseconds from,
                                              Nanoseconds to, bool calls);
/// The same for what all processes do together: where none of them was recorded.
std::vector<MissingStretch> missing_stretches(const trace::Trace& trace, const TimeAxis& axis, Nanoseconds from,
                                              Nanoseconds to);
/// One of the processes that are recorded in parts was recorded at this time, or none is recorded in parts.
bool any_recorded(const trace::Trace& trace, Nanoseconds t);

/// "Not recorded: recorded in bursts of 50 ms every 500 ms", as far as its source says.
std::string not_recorded_text(const trace::Bursts& bursts);

/// Bursts and pauses narrower than this are drawn together.
inline constexpr float kMissingCellPx = 4;
/// The shares of a cell are drawn in this many steps, so that neighbours alike become one.
inline constexpr int kMissingSteps = 8;

}  // namespace lanescope::ui
