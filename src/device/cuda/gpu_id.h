// How a GPU is named on the command line, and what it must be able to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

/// The CUDA version that the driver must support: the one that the back end is built with.
inline constexpr int kNeededCudaVersion = 13000;
/// Turing: the oldest that the kernels are built for.
inline constexpr int kNeededComputeMajor = 7, kNeededComputeMinor = 5;

std::string gpu_id(int index);  ///< "cuda:0"
/// "cuda" is 0, "cuda:N" is N; nothing else is one.
std::optional<int> parse_gpu_id(std::string_view id);

std::string version_text(int cuda_version);  ///< 12020 is "12.2"
/// Why this GPU cannot be used, in one line; empty if it can.
std::string gpu_problem(const GpuInfo& gpu);

}  // namespace lanescope::device::cuda
