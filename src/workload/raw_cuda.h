// S3's three lines of CUDA C++: copy to the GPU, run a kernel, copy back. No framework, so no dispatch cost.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

WorkloadInfo raw_cuda_info();
Code raw_cuda_code(const Settings& settings);
Settings raw_cuda_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_raw_cuda(device::Device& device);

}  // namespace lanescope::workload
