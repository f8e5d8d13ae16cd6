#include "analysis/kept_range.h"

#include <algorithm>

namespace lanescope::analysis {

KeptRange kept_range(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  KeptRange range;
  const auto [oldest, newest] = trace.extent();
  range.from = oldest;
  range.to = newest;
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(id));
    const trace::LaneKind kind = lane.info().kind;
    const bool relevant =
        kind == trace::LaneKind::Iterations || kind == trace::LaneKind::Calls || trace::is_gpu_work_lane(kind);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last(), first = row.first();
      if (last > first) range.empty = false;
      if (relevant && first > 0 && first < last) range.from = std::max(range.from, row.start(first));
    }
  }
  return range;
}

}  // namespace lanescope::analysis
