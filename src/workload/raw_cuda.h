// S3's three lines of CUDA C++: copy to the GPU, run a kernel, copy back. No framework, so no dispatch cost.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

/// The limit of every GPU; beyond it, <<<1, N>>> is an invalid configuration.
inline constexpr std::int64_t kThreadsOfABlock = 1024;

WorkloadInfo raw_cuda_info();
Settings raw_cuda_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_raw_cuda(device::Device& device);

}  // namespace lanescope::workload
