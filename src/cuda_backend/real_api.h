// Implements CudaDevice's calls by the CUDA runtime.
#pragma once

#include "cuda_backend/cublas.h"
#include "device/cuda/api.h"

namespace lanescope::cuda_backend {

using device::cuda::EventHandle;
using device::cuda::GraphExecHandle;
using device::cuda::GraphHandle;
using device::cuda::Status;
using device::cuda::StreamHandle;

class RealApi final : public device::cuda::Api {
 public:
  /// `gpu` is CUDA's number of an existing device.
  explicit RealApi(int gpu) : gpu_(gpu), cublas_(gpu) {}

  Status use() noexcept override;
  Status reset() noexcept override;

  Status malloc(void** out, std::size_t bytes) noexcept override;
  Status free(void* device) noexcept override;
  Status host_alloc(void** out, std::size_t bytes) noexcept override;
  Status free_host(void* pinned) noexcept override;

  Status stream_create(StreamHandle* out, bool non_blocking) noexcept override;
  Status stream_destroy(StreamHandle stream) noexcept override;
  Status stream_synchronize(StreamHandle stream) noexcept override;
  Status stream_wait_event(StreamHandle stream, EventHandle event) noexcept override;
  Status event_create(EventHandle* out, bool timing) noexcept override;
  Status event_destroy(EventHandle event) noexcept override;
  Status event_record(EventHandle event, StreamHandle stream) noexcept override;
  Status event_query(EventHandle event) noexcept override;
  Status event_elapsed(float* out_ms, EventHandle start, EventHandle end) noexcept override;
  Status event_synchronize(EventHandle event) noexcept override;
  Status device_synchronize() noexcept override;

  Status memcpy_async(void* to, const void* from, std::size_t bytes, StreamHandle stream) noexcept override;
  Status memcpy(void* to, const void* from, std::size_t bytes) noexcept override;
  Status memset_async(void* to, std::uint8_t value, std::size_t bytes, StreamHandle stream) noexcept override;

  Status launch(const ops::Op& op, std::span<const Arg> args, StreamHandle stream) noexcept override;

  Status begin_capture(StreamHandle stream) noexcept override;
  Status end_capture(GraphHandle* out, StreamHandle stream) noexcept override;
  Status graph_instantiate(GraphExecHandle* out, GraphHandle graph) noexcept override;
  Status graph_launch(GraphExecHandle graph, StreamHandle stream) noexcept override;
  Status graph_destroy(GraphHandle graph) noexcept override;
  Status graph_exec_destroy(GraphExecHandle graph) noexcept override;

  const char* error_name(Status status) noexcept override;
  const char* error_text(Status status) noexcept override;
  Status take_last_error() noexcept override;
  const char* gemm_provider() noexcept override;

 private:
  const int gpu_;
  Cublas cublas_;
};

}  // namespace lanescope::cuda_backend
