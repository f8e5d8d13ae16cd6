// Classifies an API call by its name: how it treats the CPU and the GPU.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::trace {

enum class CallNature : std::uint8_t {
  Other,
  Launch,        ///< puts work on a stream
  Sync,          ///< waits for a stream, an event or the device; includes cudaFree and related calls
  BlockingCopy,  ///< cudaMemcpy and related calls
  AsyncCopy,     ///< cudaMemcpyAsync and related calls; may still block with pageable memory
};
/// Accepts CUDA runtime, CUDA driver and HIP names, with or without a version suffix.
CallNature call_nature(std::string_view name);
/// cudaGraphLaunch and related calls, which run many operations.
bool is_graph_launch(std::string_view name);

}  // namespace lanescope::trace
