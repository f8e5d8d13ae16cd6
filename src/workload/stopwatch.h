// A program's own stopwatch: what time.time() around a statement measures.
#pragma once

#include <optional>

#include "device/device.h"

namespace lanescope::workload {

/// Reads the calling thread's clock, which takes no time. Each measurement is a range on the "stopwatch" lane, so that
/// it can be compared with the GPU's work.
class Stopwatch {
 public:
  explicit Stopwatch(device::Device& device) : device_(device) {}

  void start() { started_ns_ = device_.now_ns(); }
  /// The time since start().
  base::Nanoseconds stop();

 private:
  device::Device& device_;
  std::optional<trace::LaneId> lane_;  // created when first needed
  trace::NameId name_ = 0;
  base::Nanoseconds started_ns_ = 0;
};

}  // namespace lanescope::workload
