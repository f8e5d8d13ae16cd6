// P11 to P13: a model whose control flow depends on values on the GPU.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo control_flow_info();
Settings control_flow_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_control_flow(device::Device& device);

}  // namespace lanescope::workload
