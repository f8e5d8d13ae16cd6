// What the loadable library liblanescope_cuda.so gives: GPUs, their calls, and the capture of what they do. It is
// opened at run time, so that the program itself depends on nothing of CUDA.
//
// Nothing of it throws across the border. Memory and C++ objects cross it, so both sides are built by one build.
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

/// Changes whenever this header, api.h, trace/sink.h, trace/event.h or ops/op.h does.
inline constexpr int kBackendAbi = 4;
inline constexpr const char* kBackendFile = "liblanescope_cuda.so";
inline constexpr const char* kBackendSymbol = "lanescope_cuda_backend";

struct GpuInfo {
  int index = 0;  ///< as CUDA counts
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0;
  int driver_version = 0;   ///< of CUDA: 13000 is 13.0
  int runtime_version = 0;  ///< of the library's CUDA runtime
};

/// Records what the GPUs of this process do and writes it to a sink: API calls of each thread, kernels, copies and
/// memsets of each stream. Time: CLOCK_MONOTONIC minus `origin_ns`.
class Capture {
 public:
  virtual ~Capture() = default;  ///< stops; what is complete by then is written
  virtual trace::CaptureHealth health() const noexcept = 0;
  virtual std::vector<trace::OpenCall> open_calls() const noexcept = 0;
  /// The workload's thread, by its system thread id: its calls are written where the program's ranges are. From any
  /// thread; may change.
  virtual void set_main_thread(std::uint32_t thread) noexcept = 0;
  /// Returns when all that was issued and has ended is written, or after two seconds.
  virtual void flush() noexcept = 0;
};

struct CaptureRequest {
  trace::EventSink* sink = nullptr;
  std::int64_t origin_ns = 0;
  CaptureLevel level = CaptureLevel::All;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::vector<GpuInfo> gpus() noexcept = 0;
  /// Why nothing could be captured, in one line: no CUPTI (where it was looked for), another profiler holds it, ...;
  /// empty if it could.
  virtual std::string capture_problem() noexcept = 0;
  /// Null when there is no such GPU.
  virtual std::unique_ptr<Api> open(int gpu) noexcept = 0;
  /// Never null: a capture that cannot run says why in its health. Only one runs at a time in a process (CUPTI allows
  /// no more); a second says Busy.
  virtual std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept = 0;
};

/// The library's one exported function: the process's backend, or null when the program was built against another ABI.
using BackendFunction = Backend* (*)(int abi);

}  // namespace lanescope::device::cuda
