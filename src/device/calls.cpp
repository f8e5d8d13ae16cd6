#include "device/calls.h"

#include <array>

#include "trace/event.h"

namespace lanescope::device {
namespace {

constexpr std::array<std::string_view, kCudaCalls> kNames{"cudaLaunchKernel",
                                                          "cudaMemcpyAsync",
                                                          "cudaMemcpy",
                                                          "cudaMemsetAsync",
                                                          "cudaEventRecord",
                                                          "cudaEventQuery",
                                                          "cudaEventElapsedTime",
                                                          "cudaEventSynchronize",
                                                          "cudaStreamWaitEvent",
                                                          "cudaStreamSynchronize",
                                                          "cudaDeviceSynchronize",
                                                          "cudaStreamCreateWithFlags",
                                                          "cudaEventCreateWithFlags",
                                                          "cudaMalloc",
                                                          "cudaFree",
                                                          "cudaHostAlloc",
                                                          "cudaFreeHost",
                                                          "cudaGraphLaunch",
                                                          "cudaStreamBeginCapture",
                                                          "cudaStreamEndCapture",
                                                          "cudaGraphInstantiate",
                                                          "cudaGraphExecDestroy"};
static_assert(static_cast<std::size_t>(CudaCall::GraphExecDestroy) + 1 == kCudaCalls);

}  // namespace

std::string_view call_name(CudaCall call) { return kNames[static_cast<std::size_t>(call)]; }

std::uint8_t flags_of(CudaCall call) {
  switch (call) {
    case CudaCall::LaunchKernel:
    case CudaCall::MemcpyAsync:
    case CudaCall::MemsetAsync:
    case CudaCall::GraphLaunch:
      return trace::kLaunchFlag;
    case CudaCall::Memcpy:
      return trace::kLaunchFlag | trace::kSyncFlag;
    case CudaCall::EventSynchronize:
    case CudaCall::StreamSynchronize:
    case CudaCall::DeviceSynchronize:
      return trace::kSyncFlag;
    default:
      return 0;
  }
}

}  // namespace lanescope::device
