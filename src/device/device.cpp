#include "device/device.h"

#include <fmt/format.h>

#include <array>

#include "base/translate.h"
#include "trace/event.h"

namespace lanescope::device {
namespace {

[[noreturn]] void no_threads(const Device& device) {
  throw base::Error(device.info().id + ": " + base::tr("this device has no further host threads"));
}

[[noreturn]] void no_graphs(const Device& device) {
  throw base::Error(device.info().id + ": " + base::tr("this device has no CUDA graphs"));
}

}  // namespace

HostThread Device::create_host_thread(std::string_view /*name*/) { no_threads(*this); }
void Device::end_host_thread(HostThread /*thread*/) { no_threads(*this); }
HostTask Device::submit(HostThread /*thread*/, const HostWork& /*work*/, HostTask /*after*/) { no_threads(*this); }
bool Device::ended(HostTask /*task*/) { no_threads(*this); }
void Device::wait_for(HostTask /*task*/, std::string_view /*what*/) { no_threads(*this); }

void Device::begin_capture(Stream /*stream*/) { no_graphs(*this); }
Graph Device::end_capture(Stream /*stream*/) { no_graphs(*this); }
void Device::launch_graph(Graph /*graph*/, Stream /*stream*/) { no_graphs(*this); }
void Device::destroy_graph(Graph /*graph*/) { no_graphs(*this); }

void Device::hand_over(Slice /*to*/, Slice /*from*/, std::size_t /*bytes*/) {
  throw base::Error(info().id + ": " +
                    base::tr("this device has its own memory; tensors must be copied to and from it"));
}

// --- device name -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kCpuOf = "CPU of ";

}  // namespace

std::string cpu_name_beside(std::string_view gpu) { return std::string(kCpuOf) + std::string(gpu); }

std::string name_in_words(std::string_view name) {
  if (!name.starts_with(kCpuOf)) return base::tr(std::string(name));
  return base::tr("CPU of {}", name.substr(kCpuOf.size()));
}

// --- calls -----------------------------------------------------------------------------------------------------------

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
