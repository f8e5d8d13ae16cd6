#include "analysis/event_count.h"

namespace lanescope::analysis {

std::int64_t count_starting(const trace::Trace& trace, base::Nanoseconds from, base::Nanoseconds to,
                            std::span<const trace::LaneId> lanes) {
  const trace::Trace::ReadLock lock(trace);
  std::int64_t count = 0;
  const auto add = [&](trace::LaneId id) {
    const trace::Lane& lane = trace.lane(id);
    if (!has_intervals(lane.info().kind)) return;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last();
      const trace::EventIndex first = row.first_starting_at_or_after(from, row.first(), last);
      count += static_cast<std::int64_t>(row.first_starting_at_or_after(to, first, last) - first);
    }
  };
  if (lanes.empty()) {
    for (std::size_t id = 0; id < trace.lane_count(); ++id) add(static_cast<trace::LaneId>(id));
  }
  for (const trace::LaneId id : lanes) add(id);
  return count;
}

}  // namespace lanescope::analysis
