// The CUDA calls that CudaDevice makes, as an interface without CUDA's headers. The loadable library (src/cuda_backend)
// implements them; tests provide a fake.
//
// One thread makes the calls, except use(), host_alloc(), event_query() and the error functions, which any thread may
// call.
//
// Nothing here throws. A Status is the CUDA call's result (cudaError_t as a number, 0 is success).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/op.h"

namespace lanescope::device::cuda {

using Status = int;
inline constexpr Status kSuccess = 0;
inline constexpr Status kNotReady = 600;  // cudaErrorNotReady: the result of a query, not an error

using StreamHandle = void*;     ///< cudaStream_t; null is the legacy default stream
using EventHandle = void*;      ///< cudaEvent_t
using GraphHandle = void*;      ///< cudaGraph_t: what was captured
using GraphExecHandle = void*;  ///< cudaGraphExec_t: ready to launch

enum class HostMemory : std::uint8_t { Pageable, Pinned };

class Api {
 public:
  virtual ~Api() = default;

  /// Makes the device current for the calling thread. Each thread calls it before any other function.
  virtual Status use() noexcept = 0;
  /// cudaDeviceReset: makes the device usable again after a sticky error. Invalidates all handles and pointers.
  virtual Status reset() noexcept = 0;

  virtual Status malloc(void** out, std::size_t bytes) noexcept = 0;      ///< cudaMalloc
  virtual Status free(void* device) noexcept = 0;                         ///< cudaFree
  virtual Status host_alloc(void** out, std::size_t bytes) noexcept = 0;  ///< cudaHostAlloc
  virtual Status free_host(void* pinned) noexcept = 0;                    ///< cudaFreeHost

  virtual Status stream_create(StreamHandle* out, bool non_blocking) noexcept = 0;  ///< cudaStreamCreateWithFlags
  virtual Status stream_destroy(StreamHandle stream) noexcept = 0;
  virtual Status stream_synchronize(StreamHandle stream) noexcept = 0;
  virtual Status stream_wait_event(StreamHandle stream, EventHandle event) noexcept = 0;
  /// cudaEventCreateWithFlags; without `timing`, with cudaEventDisableTiming.
  virtual Status event_create(EventHandle* out, bool timing) noexcept = 0;
  virtual Status event_destroy(EventHandle event) noexcept = 0;
  virtual Status event_record(EventHandle event, StreamHandle stream) noexcept = 0;
  virtual Status event_query(EventHandle event) noexcept = 0;  ///< kNotReady while it has not completed
  /// cudaEventElapsedTime, in milliseconds; kNotReady while either event has not completed.
  virtual Status event_elapsed(float* out_ms, EventHandle start, EventHandle end) noexcept = 0;
  virtual Status event_synchronize(EventHandle event) noexcept = 0;
  virtual Status device_synchronize() noexcept = 0;

  /// The direction follows from unified addressing (cudaMemcpyDefault).
  virtual Status memcpy_async(void* to, const void* from, std::size_t bytes, StreamHandle stream) noexcept = 0;
  virtual Status memcpy(void* to, const void* from, std::size_t bytes) noexcept = 0;
  virtual Status memset_async(void* to, std::uint8_t value, std::size_t bytes, StreamHandle stream) noexcept = 0;

  /// Launches one kernel (a GEMM through cuBLAS may launch more). The arguments are device pointers, as listed at
  /// ops::OpKind, with the number of floats in each. The shape must have been checked.
  struct Arg {
    float* data = nullptr;
    std::size_t elements = 0;
  };
  virtual Status launch(const ops::Op& op, std::span<const Arg> args, StreamHandle stream) noexcept = 0;

  /// cudaStreamBeginCapture, for the calls of this thread only (cudaStreamCaptureModeThreadLocal): a host thread may
  /// allocate meanwhile.
  virtual Status begin_capture(StreamHandle stream) noexcept = 0;
  virtual Status end_capture(GraphHandle* out, StreamHandle stream) noexcept = 0;          ///< cudaStreamEndCapture
  virtual Status graph_instantiate(GraphExecHandle* out, GraphHandle graph) noexcept = 0;  ///< cudaGraphInstantiate
  virtual Status graph_launch(GraphExecHandle graph, StreamHandle stream) noexcept = 0;    ///< cudaGraphLaunch
  virtual Status graph_destroy(GraphHandle graph) noexcept = 0;                            ///< cudaGraphDestroy
  virtual Status graph_exec_destroy(GraphExecHandle graph) noexcept = 0;                   ///< cudaGraphExecDestroy

  virtual const char* error_name(Status status) noexcept = 0;  ///< "cudaErrorIllegalAddress"
  virtual const char* error_text(Status status) noexcept = 0;  ///< "an illegal memory access was encountered"
  /// Clears and returns the error of the last failed call (cudaGetLastError), so that it is not attributed to the next
  /// call.
  virtual Status take_last_error() noexcept = 0;
  /// "cuBLAS 13.1", or why matrix products use the program's own kernel.
  virtual const char* gemm_provider() noexcept = 0;
};

// --- status ----------------------------------------------------------------------------------------------------------
// The CUDA error codes that need special treatment.

inline constexpr Status kOutOfMemory = 2;  // cudaErrorMemoryAllocation

/// True for errors that persist: every later call returns them, too, until the device is reset. For most of these,
/// CUDA's driver_types.h says: "leaves the process in an inconsistent state and any further CUDA work will return the
/// same error". It does not say so for the two uncorrectable errors, a destroyed context and the unknown error, but the
/// device is unusable after them as well.
constexpr bool is_sticky(Status status) {
  switch (status) {
    case 214:  // cudaErrorECCUncorrectable
    case 220:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 700:  // cudaErrorIllegalAddress
    case 702:  // cudaErrorLaunchTimeout
    case 709:  // cudaErrorContextIsDestroyed
    case 710:  // cudaErrorAssert
    case 714:  // cudaErrorHardwareStackError
    case 715:  // cudaErrorIllegalInstruction
    case 716:  // cudaErrorMisalignedAddress
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
    case 719:  // cudaErrorLaunchFailure
    case 721:  // cudaErrorTensorMemoryLeak
    case 810:  // cudaErrorMpsClientTerminated
    case 911:  // cudaErrorExternalDevice
    case 999:  // cudaErrorUnknown
      return true;
    default:
      return false;
  }
}

}  // namespace lanescope::device::cuda
