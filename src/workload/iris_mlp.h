// P22 to P26: the tutorial's iris network, so small that the GPU is launch-bound.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo iris_mlp_info();
Code iris_mlp_code(const Settings& settings);
Settings iris_mlp_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_iris_mlp(device::Device& device);

}  // namespace lanescope::workload
