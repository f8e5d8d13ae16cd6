#include "workload/stopwatch.h"

#include "workload/lanes.h"

namespace lanescope::workload {

base::Nanoseconds Stopwatch::stop() {
  const base::Nanoseconds now_ns = device_.now_ns();
  if (!lane_) {
    lane_ = device_.sink().lane(program_lane(trace::LaneKind::Phases, "stopwatch"));
    name_ = device_.sink().name("stopwatch");
  }
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Timed);
  event.lane = *lane_;
  event.name = name_;
  event.start_ns = started_ns_;
  event.end_ns = now_ns;
  device_.writer().write(event);
  return now_ns - started_ns_;
}

}  // namespace lanescope::workload
