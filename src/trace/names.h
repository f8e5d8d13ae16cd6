// What names say: how a call treats the CPU and the GPU, a kernel as people call it, the lanes of a stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/sink.h"

namespace lanescope::trace {

/// Without version suffixes: "cudaLaunchKernel_v7000" and "cudaLaunchKernel_ptsz" -> "cudaLaunchKernel".
std::string_view plain_api_name(std::string_view name);

enum class CallNature : std::uint8_t {
  Other,
  Launch,        ///< puts work on a stream
  Sync,          ///< waits for a stream, an event or the device; includes cudaFree and related calls
  BlockingCopy,  ///< cudaMemcpy and related calls
  AsyncCopy,     ///< cudaMemcpyAsync and related calls; may still block with pageable memory
};
/// Accepts CUDA runtime, CUDA driver and HIP names, with or without a version suffix; of other back ends' names, what
/// their words say.
CallNature call_nature(std::string_view name);
/// cudaGraphLaunch and related calls, which run many operations.
bool is_graph_launch(std::string_view name);

// --- kernel name -----------------------------------------------------------------------------------------------------
// The names of kernels as people say them.

/// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" becomes "vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name);

// --- stream lanes ----------------------------------------------------------------------------------------------------
// Names of a stream's lanes, the same for all devices.

/// "kernels", "copy H2D", "copy D2H", "copy D2D" for the default stream; "kernels, stream 20" for another.
std::string stream_lane_name(LaneKind kind, std::int32_t stream, bool is_default);

}  // namespace lanescope::trace
