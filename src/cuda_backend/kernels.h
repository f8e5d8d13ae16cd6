// Starts the kernels. Nothing throws; a Status is the result of the launch.
#pragma once

#include <span>

#include "device/cuda/api.h"
#include "device/op.h"

namespace lanescope::cuda_backend {

using device::cuda::Status;
using device::cuda::StreamHandle;

/// Starts the kernel named ops::kernel_name(). For `mean_slot`, see MeanSlots.
Status launch_kernel(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, unsigned mean_slot,
                     StreamHandle stream) noexcept;
/// out[i, j] = bias[j]
Status launch_bias_broadcast(const float* bias, float* out, std::int32_t m, std::int32_t n,
                             StreamHandle stream) noexcept;
/// Writes to an unmapped address.
Status launch_illegal_write(StreamHandle stream) noexcept;

}  // namespace lanescope::cuda_backend
