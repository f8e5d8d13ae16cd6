#include "workload/loop.h"

#include "workload/lanes.h"

namespace lanescope::workload {

void run_loop(device::Device& device, Workload& workload, std::uint64_t first, LoopControl& control) {
  trace::Event range;
  range.kind = trace::EventKind::Range;
  trace::set_range_kind(range, trace::RangeKind::Iteration);
  range.lane = device.sink().lane(program_lane(trace::LaneKind::Iterations, "iteration"));
  range.name = device.sink().name("iteration");
  workload.set_up(control.begin());
  control.set_up_done();
  for (std::uint64_t number = first; const Settings* now = control.next(number); ++number) {
    range.a = static_cast<std::uint32_t>(number);
    range.start_ns = device.now_ns();
    workload.iterate(number, *now);
    control.end_of_iteration();
    range.end_ns = device.now_ns();
    device.writer().write(range);
    control.iterated(number);
  }
  control.iterations_done();
  workload.finish();
}

}  // namespace lanescope::workload
