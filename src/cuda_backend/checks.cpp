#include "cuda_backend/checks.h"

#include <cuda_runtime_api.h>

#include "cuda_backend/kernels.h"
#include "cuda_backend/mean_slots.h"

namespace lanescope::cuda_backend {
namespace {

cudaError_t record_graph(cudaStream_t stream, int kernels, float each_us, cudaGraph_t* graph) {
  if (const cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal); status)
    return status;
  const ops::Op spin{ops::OpKind::Spin, 1, 1, 1, each_us};
  Status first = device::cuda::kSuccess;
  for (int i = 0; i < kernels && first == device::cuda::kSuccess; ++i) {
    first = launch_kernel(spin, {}, kNoMeanSlot, stream);
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, graph);
  return first != device::cuda::kSuccess ? static_cast<cudaError_t>(first) : ended;
}

cudaError_t run_graph(cudaStream_t stream, int kernels, float each_us) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaError_t status = record_graph(stream, kernels, each_us, &graph);
  if (status == cudaSuccess) status = cudaGraphInstantiate(&ready, graph, 0);
  if (status == cudaSuccess) status = cudaGraphLaunch(ready, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  if (ready) cudaGraphExecDestroy(ready);
  if (graph) cudaGraphDestroy(graph);
  return status;
}

}  // namespace
}  // namespace lanescope::cuda_backend

extern "C" __attribute__((visibility("default"))) int lanescope_cuda_fault() {
  return lanescope::cuda_backend::launch_illegal_write(nullptr);
}

extern "C" __attribute__((visibility("default"))) int lanescope_cuda_graph(int kernels, float each_us) {
  cudaStream_t stream = nullptr;
  if (const cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); status) return status;
  const cudaError_t status = lanescope::cuda_backend::run_graph(stream, kernels, each_us);
  cudaStreamDestroy(stream);
  return status;
}
