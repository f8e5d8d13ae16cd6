// A simulated device is always here, also for an opened trace of a run on it.
#pragma once

#include <memory>

#include "device/device.h"
#include "prediction/device_probe.h"

namespace lanescope::prediction {

/// The probe of a simulated GPU with a built-in profile. Null for every other device: what a trace names by an id
/// ("cuda:0", a profile's file) is another one here.
std::shared_ptr<DeviceProbe> probe_of_simulated(const device::DeviceInfo& device);

}  // namespace lanescope::prediction
