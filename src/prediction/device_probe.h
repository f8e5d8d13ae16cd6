// What a probe of a device measured, kept for all predictions of a session.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "calibration/quick_probe.h"
#include "device/device.h"
#include "device/op.h"

namespace lanescope::prediction {

/// Measures when it is first needed, and once more for ops that it has not timed. Thread-safe: one thread measures, and
/// the others wait for it.
class DeviceProbe {
 public:
  /// Throws base::Error if the device cannot be probed.
  using Measure = std::function<calibration::QuickProbe(std::span<const ops::Op>)>;
  explicit DeviceProbe(Measure measure) : measure_(std::move(measure)) {}

  /// Empty if the device cannot be probed; that is not tried again.
  std::optional<calibration::QuickProbe> with(std::span<const ops::Op> ops);

 private:
  const Measure measure_;
  std::mutex mutex_;
  std::optional<calibration::QuickProbe> known_;
  bool failed_ = false;
};

/// The one of this device in this process; made by the first call, which says how to measure.
std::shared_ptr<DeviceProbe> probe_of(const std::string& device, DeviceProbe::Measure measure);

/// Probes a second device of this id, in this process. For a GPU: only while no other device uses it and no capture
/// runs, because a process has one capture.
calibration::QuickProbe probe_here(const std::string& device, std::span<const ops::Op> ops);

// --- simulated probe -------------------------------------------------------------------------------------------------
// A simulated device is always here, also for an opened trace of a run on it.

/// The probe of a simulated GPU with a built-in profile. Null for every other device: what a trace names by an id
/// ("cuda:0", a profile's file) is another one here.
std::shared_ptr<DeviceProbe> probe_of_simulated(const device::DeviceInfo& device);

}  // namespace lanescope::prediction
