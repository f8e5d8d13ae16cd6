// P08 to P10, P14, P15: one Linear(1000, 1000) on a batch that stays on the GPU. Shows the cost of reading its loss or
// of timing its forward pass.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo linear_mse_info();
Settings linear_mse_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_linear_mse(device::Device& device);

}  // namespace lanescope::workload
