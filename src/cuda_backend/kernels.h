// Starts the kernels. Nothing throws; a Status is what the launch returned.
#pragma once

#include <span>

#include "device/cuda/api.h"
#include "ops/op.h"

namespace lanescope::cuda_backend {

using device::cuda::Status;
using device::cuda::StreamHandle;

/// One kernel, whose name is ops::kernel_name(). `mean_slot`: see MeanSlots.
Status launch_kernel(const ops::Op& op, std::span<const device::cuda::Api::Arg> args, unsigned mean_slot,
                     StreamHandle stream) noexcept;
/// out[i, j] = bias[j]
Status launch_bias_broadcast(const float* bias, float* out, std::int32_t m, std::int32_t n,
                             StreamHandle stream) noexcept;
/// Writes to an address that is no memory.
Status launch_illegal_write(StreamHandle stream) noexcept;

}  // namespace lanescope::cuda_backend
