#include "device/calls.h"

#include <array>

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

}  // namespace lanescope::device
