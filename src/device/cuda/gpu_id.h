// GPU names on the command line, and the requirements on a GPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

/// The CUDA version that the driver must support: that of the back end's build.
inline constexpr int kNeededCudaVersion = 13000;
/// Turing: the oldest architecture that the kernels are built for.
inline constexpr int kNeededComputeMajor = 7, kNeededComputeMinor = 5;

std::string gpu_id(int index);  ///< "cuda:0"
/// "cuda" gives 0, "cuda:N" gives N, everything else nothing.
std::optional<int> parse_gpu_id(std::string_view id);

std::string version_text(int cuda_version);  ///< 12020 is "12.2"
/// Why this GPU cannot be used, in one line; empty if it can.
std::string gpu_problem(const GpuInfo& gpu);

}  // namespace lanescope::device::cuda
