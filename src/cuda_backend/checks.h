// Further functions of liblanescope_cuda.so, looked up by name, with which tests and the check of a machine bring about
// what CudaDevice never does.
#pragma once

namespace lanescope::cuda_backend {

/// int lanescope_cuda_fault(void): starts a kernel on the current GPU's default stream that writes where there is no
/// memory, and returns the status of the launch. The next synchronisation fails with 700, and so does all that follows
/// until the GPU is reset.
inline constexpr const char* kFaultSymbol = "lanescope_cuda_fault";
using FaultFunction = int (*)();

/// int lanescope_cuda_graph(int kernels, float each_us): a CUDA graph of so many `spin` kernels, one after the other,
/// launched once on a stream of its own and waited for; returns the first status that is not success.
inline constexpr const char* kGraphSymbol = "lanescope_cuda_graph";
using GraphFunction = int (*)(int kernels, float each_us);

}  // namespace lanescope::cuda_backend
