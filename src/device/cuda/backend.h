// The interface of the loadable library liblanescope_cuda.so: GPUs, their calls, and the capture of their work. The
// library is opened at run time, so the program itself does not depend on CUDA.
//
// No exception crosses the library boundary. Memory and C++ objects do, so both sides must come from the same build.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/catalogue.h"
#include "device/cuda/api.h"
#include "trace/capture_health.h"
#include "trace/sink.h"

namespace lanescope::device::cuda {

/// Increment it with every change to this header, api.h, trace/sink.h, trace/event.h or device/op.h.
inline constexpr int kBackendAbi = 5;
inline constexpr const char* kBackendFile = "liblanescope_cuda.so";
inline constexpr const char* kBackendSymbol = "lanescope_cuda_backend";

struct GpuInfo {
  int index = 0;  ///< CUDA's device number
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  int driver_version = 0;   ///< the CUDA version it supports: 13000 is 13.0
  int runtime_version = 0;  ///< of the library's CUDA runtime
};

/// Records the work of this process's GPUs and writes it to a sink: the API calls of each thread, and the kernels,
/// copies and memsets of each stream. Times are CLOCK_MONOTONIC minus `origin_ns`.
class Capture {
 public:
  virtual ~Capture() = default;  ///< stops; writes what is complete by then
  virtual trace::CaptureHealth health() const noexcept = 0;
  virtual std::vector<trace::OpenCall> open_calls() const noexcept = 0;
  /// Sets the workload's thread, by its system thread id: its calls go to the lane beside the program's ranges.
  /// Callable from any thread, repeatedly.
  virtual void set_main_thread(std::uint32_t thread) noexcept = 0;
  /// Returns once everything issued and ended has been written, or after two seconds.
  virtual void flush() noexcept = 0;
};

struct CaptureRequest {
  trace::EventSink* sink = nullptr;
  std::int64_t origin_ns = 0;
  trace::CaptureLevel level = trace::CaptureLevel::All;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::vector<GpuInfo> gpus() noexcept = 0;
  /// Why capture is impossible, in one line: no CUPTI (and where it was searched for), another profiler is using it,
  /// ...; empty if capture is possible.
  virtual std::string capture_problem() noexcept = 0;
  /// Null if there is no such GPU.
  virtual std::unique_ptr<Api> open(int gpu) noexcept = 0;
  /// Never null: a capture that cannot run reports why in its health. CUPTI allows one capture per process at a time; a
  /// second one reports Busy.
  virtual std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept = 0;
};

/// The library's only exported function: returns the process's backend, or null if the ABI versions differ.
using BackendFunction = Backend* (*)(int abi);

}  // namespace lanescope::device::cuda
