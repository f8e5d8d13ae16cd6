#include "workload/loop.h"

namespace lanescope::workload {

SteppedLoop::SteppedLoop(device::Device& device, Workload& workload, std::uint64_t first, LoopControl& control)
    : device_(device), workload_(workload), control_(control), number_(first) {
  range_.kind = trace::EventKind::Range;
  trace::set_range_kind(range_, trace::RangeKind::Iteration);
  range_.lane = device.sink().lane(program_lane(trace::LaneKind::Iterations, "iteration"));
  range_.name = device.sink().name("iteration");
  workload.set_up(control.begin());
  control.set_up_done();
}

bool SteppedLoop::iterate() {
  const Settings* now = control_.next(number_);
  if (now == nullptr) return false;
  range_.a = static_cast<std::uint32_t>(number_);
  range_.start_ns = device_.now_ns();
  workload_.iterate(number_, *now);
  range_.end_ns = device_.now_ns();
  device_.writer().write(range_);
  control_.iterated(number_);
  ++number_;
  return true;
}

void SteppedLoop::finish() { workload_.finish(); }

void run_loop(device::Device& device, Workload& workload, std::uint64_t first, LoopControl& control) {
  SteppedLoop loop(device, workload, first, control);
  while (loop.iterate()) {
  }
  loop.finish();
}

}  // namespace lanescope::workload
