// A program's own stopwatch: what time.time() around a statement shows.
#pragma once

#include <optional>

#include "device/device.h"

namespace lanescope::workload {

/// Reads the clock of the calling thread, which takes no time. What it measured stays as a range on the lane
/// "stopwatch", beside what the GPU did meanwhile.
class Stopwatch {
 public:
  explicit Stopwatch(device::Device& device) : device_(device) {}

  void start() { started_ns_ = device_.now_ns(); }
  /// Since start().
  base::Nanoseconds stop();

 private:
  device::Device& device_;
  std::optional<trace::LaneId> lane_;  // made when first needed
  trace::NameId name_ = 0;
  base::Nanoseconds started_ns_ = 0;
};

}  // namespace lanescope::workload
