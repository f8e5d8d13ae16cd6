// P22 to P26: the tutorial's iris network, so small that the GPU is launch-bound.
#pragma once

#include <memory>

#include "workload/code.h"
#include "workload/workload.h"

namespace lanescope::workload {

/// The error PyTorch raises if a layer's weights are on the CPU and its input is on the GPU. The first layer is an
/// addmm, whose first argument is the bias.
inline constexpr const char* kWrongDevice =
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! "
    "(when checking argument for argument mat1 in method wrapper_CUDA_addmm)";

/// The number of epochs between prints. An epoch prints if it logs and is at least 100 epochs after the last print.
std::uint64_t epochs_between_prints(std::uint64_t log_interval);

WorkloadInfo iris_mlp_info();
Settings iris_mlp_settings(const device::DeviceInfo& device);
std::unique_ptr<Workload> make_iris_mlp(device::Device& device);

}  // namespace lanescope::workload
