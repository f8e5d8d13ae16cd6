// P15 and S0's advice: ways to read a loss from the GPU, from .item() to a copy that is read one step late.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo readback_info();
Settings readback_settings(const device::DeviceInfo& device);
std::int64_t readback_period(const Settings& settings);
std::unique_ptr<Workload> make_readback(device::Device& device);

}  // namespace lanescope::workload
