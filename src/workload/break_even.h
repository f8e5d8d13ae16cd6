// P04 to P06: the training loop of S0 over a data set of some size, to be run on the CPU and on the GPU.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo break_even_info();
Code break_even_code(const Settings& settings);
Settings break_even_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_break_even(device::Device& device);

}  // namespace lanescope::workload
