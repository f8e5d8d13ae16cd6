// P04 to P06: S0's training loop over a data set of a given size, to compare the CPU with the GPU.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo break_even_info();
Settings break_even_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_break_even(device::Device& device);

}  // namespace lanescope::workload
