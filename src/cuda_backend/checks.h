// Further exported functions of liblanescope_cuda.so, looked up by name. Tests and scripts that check a machine use
// them to provoke what CudaDevice never does.
#pragma once

namespace lanescope::cuda_backend {

/// int lanescope_cuda_fault(void): starts a kernel on the current GPU's default stream that writes to unmapped memory,
/// and returns the status of the launch. The next synchronisation and all later calls fail with 700, until the GPU is
/// reset.
inline constexpr const char* kFaultSymbol = "lanescope_cuda_fault";
using FaultFunction = int (*)();

/// int lanescope_cuda_graph(int kernels, float each_us): launches a CUDA graph of this many consecutive `spin` kernels
/// once, on its own stream, and waits for it. Returns the first status other than success.
inline constexpr const char* kGraphSymbol = "lanescope_cuda_graph";
using GraphFunction = int (*)(int kernels, float each_us);

}  // namespace lanescope::cuda_backend
