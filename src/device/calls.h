// The CUDA calls that devices record, under their CUDA names on every device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::device {

enum class CudaCall : std::uint8_t {
  LaunchKernel,
  MemcpyAsync,
  Memcpy,
  MemsetAsync,
  EventRecord,
  EventQuery,
  EventElapsedTime,
  EventSynchronize,
  StreamWaitEvent,
  StreamSynchronize,
  DeviceSynchronize,
  StreamCreate,
  EventCreate,
  Malloc,
  Free,
  HostAlloc,
  FreeHost,
  GraphLaunch,
  StreamBeginCapture,
  StreamEndCapture,
  GraphInstantiate,
  GraphExecDestroy,
};
inline constexpr std::size_t kCudaCalls = 22;

/// The CUDA name: "cudaLaunchKernel".
std::string_view call_name(CudaCall call);

/// The flags of such a call's event: whether it launches, whether it waits.
std::uint8_t flags_of(CudaCall call);

}  // namespace lanescope::device
