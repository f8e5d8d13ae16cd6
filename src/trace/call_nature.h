// What the name of an API call says about how it treats the CPU and the GPU.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::trace {

enum class CallNature : std::uint8_t {
  Other,
  Launch,        ///< puts work on a stream
  Sync,          ///< waits for a stream, an event or the device; cudaFree and related calls do, too
  BlockingCopy,  ///< cudaMemcpy and related calls
  AsyncCopy,     ///< cudaMemcpyAsync and related calls: may still block, with pageable memory
};
/// By the CUDA (runtime or driver) or HIP name, with or without a version suffix.
CallNature call_nature(std::string_view name);

}  // namespace lanescope::trace
