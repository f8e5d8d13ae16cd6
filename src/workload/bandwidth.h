// P16 to P20: one transfer between host and device, and how the program's stopwatch measures it.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo bandwidth_info();
Settings bandwidth_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_bandwidth(device::Device& device);

}  // namespace lanescope::workload
