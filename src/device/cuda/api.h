// The CUDA calls that CudaDevice makes, as an interface without CUDA's headers. The real ones are in the loadable
// library (src/cuda_backend); tests bring their own.
//
// One thread makes the calls, but use(), host_alloc(), event_query() and what tells of errors, which any thread may
// make.
//
// Nothing here throws: a Status is what the CUDA call returned (cudaError_t as a number, 0 is success).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/op.h"

namespace lanescope::device::cuda {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotReady = 600;  // cudaErrorNotReady: the answer of a query, no error

using StreamHandle = void*;  ///< cudaStream_t; null is the legacy default stream
using EventHandle = void*;   ///< cudaEvent_t

enum class HostMemory : std::uint8_t { Pageable, Pinned };

class Api {
 public:
  virtual ~Api() = default;

  /// Makes the device current for the calling thread. The workload's thread calls it before any other.
  virtual Status use() noexcept = 0;
  /// cudaDeviceReset: after a sticky error this makes the device usable again. All handles and pointers are void then.
  virtual Status reset() noexcept = 0;

  virtual Status malloc(void** out, std::size_t bytes) noexcept = 0;      ///< cudaMalloc
  virtual Status free(void* device) noexcept = 0;                         ///< cudaFree
  virtual Status host_alloc(void** out, std::size_t bytes) noexcept = 0;  ///< cudaHostAlloc
  virtual Status free_host(void* pinned) noexcept = 0;                    ///< cudaFreeHost

  virtual Status stream_create(StreamHandle* out, bool non_blocking) noexcept = 0;  ///< cudaStreamCreateWithFlags
  virtual Status stream_destroy(StreamHandle stream) noexcept = 0;
  virtual Status stream_synchronize(StreamHandle stream) noexcept = 0;
  virtual Status stream_wait_event(StreamHandle stream, EventHandle event) noexcept = 0;
  /// cudaEventCreateWithFlags; without `timing` it is disabled.
  virtual Status event_create(EventHandle* out, bool timing) noexcept = 0;
  virtual Status event_destroy(EventHandle event) noexcept = 0;
  virtual Status event_record(EventHandle event, StreamHandle stream) noexcept = 0;
  virtual Status event_query(EventHandle event) noexcept = 0;  ///< kNotReady while it has not happened
  /// cudaEventElapsedTime, in milliseconds; kNotReady while either has not happened.
  virtual Status event_elapsed(float* out_ms, EventHandle start, EventHandle end) noexcept = 0;
  virtual Status event_synchronize(EventHandle event) noexcept = 0;
  virtual Status device_synchronize() noexcept = 0;

  /// Unified addressing tells the direction (cudaMemcpyDefault).
  virtual Status memcpy_async(void* to, const void* from, std::size_t bytes, StreamHandle stream) noexcept = 0;
  virtual Status memcpy(void* to, const void* from, std::size_t bytes) noexcept = 0;
  virtual Status memset_async(void* to, std::uint8_t value, std::size_t bytes, StreamHandle stream) noexcept = 0;

  /// One kernel (a GEMM through cuBLAS may be more). Arguments as listed at ops::OpKind, device pointers, with the
  /// number of floats each holds. The shape has been checked.
  struct Arg {
    float* data = nullptr;
    std::size_t elements = 0;
  };
  virtual Status launch(const ops::Op& op, std::span<const Arg> args, StreamHandle stream) noexcept = 0;

  virtual const char* error_name(Status status) noexcept = 0;  ///< "cudaErrorIllegalAddress"
  virtual const char* error_text(Status status) noexcept = 0;  ///< "an illegal memory access was encountered"
  /// Takes the error that the last failing call left behind (cudaGetLastError), so that the next call is not blamed.
  virtual Status take_last_error() noexcept = 0;
  /// "cuBLAS 13.1", or why matrix products go through the program's own kernel.
  virtual const char* gemm_provider() noexcept = 0;
};

}  // namespace lanescope::device::cuda
