// P04 to P06: the training loop of S0 over a data set of some size, to be run on the CPU and on the GPU.
#pragma once

#include <memory>

#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo break_even_info();
Settings break_even_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_break_even(device::Device& device);

}  // namespace lanescope::workload
