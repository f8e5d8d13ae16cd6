#include "cuda_backend/real_api.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/translate.h"
#include "cuda_backend/kernels.h"
#include "cuda_backend/mean_slots.h"
#include "cuda_backend/own_capture.h"
#include "device/cuda/backend.h"

namespace lanescope::cuda_backend {
namespace {

cudaStream_t stream_of(StreamHandle handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t event_of(EventHandle handle) { return static_cast<cudaEvent_t>(handle); }
Status status_of(cudaError_t error) { return static_cast<Status>(error); }

}  // namespace

static_assert(cudaSuccess == device::cuda::kSuccess);
static_assert(cudaErrorNotReady == device::cuda::kNotReady);

Status RealApi::use() noexcept { return status_of(cudaSetDevice(gpu_)); }

Status RealApi::reset() noexcept {
  // On a failed device this returns its error, but still makes it current.
  const cudaError_t made_current = cudaSetDevice(gpu_);
  int current = gpu_;
  if (cudaGetDevice(&current) == cudaSuccess && current != gpu_) return status_of(made_current);
  cublas_.let_go();
  MeanSlots::of_process().release_all(gpu_);
  const cudaError_t status = cudaDeviceReset();
  cudaGetLastError();
  return status == cudaSuccess ? use() : status_of(status);
}

Status RealApi::malloc(void** out, std::size_t bytes) noexcept { return status_of(cudaMalloc(out, bytes)); }
Status RealApi::free(void* device) noexcept { return status_of(cudaFree(device)); }
Status RealApi::host_alloc(void** out, std::size_t bytes) noexcept {
  return status_of(cudaHostAlloc(out, bytes, cudaHostAllocDefault));
}
Status RealApi::free_host(void* pinned) noexcept { return status_of(cudaFreeHost(pinned)); }

Status RealApi::stream_create(StreamHandle* out, bool non_blocking) noexcept {
  cudaStream_t stream = nullptr;
  const cudaError_t status =
      cudaStreamCreateWithFlags(&stream, non_blocking ? cudaStreamNonBlocking : cudaStreamDefault);
  *out = stream;
  return status_of(status);
}

Status RealApi::stream_destroy(StreamHandle stream) noexcept {
  cublas_.forget_stream(stream);
  // A slot that running work may use must not go to another stream.
  MeanSlots& slots = MeanSlots::of_process();
  if (slots.has_slot(gpu_, stream) && cudaStreamQuery(stream_of(stream)) == cudaSuccess) slots.release(gpu_, stream);
  return status_of(cudaStreamDestroy(stream_of(stream)));
}

Status RealApi::stream_synchronize(StreamHandle stream) noexcept {
  return status_of(cudaStreamSynchronize(stream_of(stream)));
}
Status RealApi::stream_wait_event(StreamHandle stream, EventHandle event) noexcept {
  return status_of(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}

Status RealApi::event_create(EventHandle* out, bool timing) noexcept {
  cudaEvent_t event = nullptr;
  const cudaError_t status = cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming);
  *out = event;
  return status_of(status);
}
Status RealApi::event_destroy(EventHandle event) noexcept { return status_of(cudaEventDestroy(event_of(event))); }
Status RealApi::event_record(EventHandle event, StreamHandle stream) noexcept {
  return status_of(cudaEventRecord(event_of(event), stream_of(stream)));
}
Status RealApi::event_query(EventHandle event) noexcept { return status_of(cudaEventQuery(event_of(event))); }
Status RealApi::event_elapsed(float* out_ms, EventHandle start, EventHandle end) noexcept {
  return status_of(cudaEventElapsedTime(out_ms, event_of(start), event_of(end)));
}
Status RealApi::event_synchronize(EventHandle event) noexcept {
  return status_of(cudaEventSynchronize(event_of(event)));
}
Status RealApi::device_synchronize() noexcept { return status_of(cudaDeviceSynchronize()); }

Status RealApi::memcpy_async(void* to, const void* from, std::size_t bytes, StreamHandle stream) noexcept {
  return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)));
}
Status RealApi::memcpy(void* to, const void* from, std::size_t bytes) noexcept {
  return status_of(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
Status RealApi::memset_async(void* to, std::uint8_t value, std::size_t bytes, StreamHandle stream) noexcept {
  return status_of(cudaMemsetAsync(to, value, bytes, stream_of(stream)));
}

Status RealApi::launch(const ops::Op& op, std::span<const Arg> args, StreamHandle stream) noexcept {
  if (ops::is_gemm(op.kind)) {
    Status status = device::cuda::kSuccess;
    if (cublas_.multiply(op, args, stream, status) != Cublas::Outcome::Unusable) return status;
  }
  const bool summed = op.kind == ops::OpKind::MeanReduce || op.kind == ops::OpKind::SumReduce;
  return launch_kernel(op, args, summed ? MeanSlots::of_process().slot_of(gpu_, stream) : kNoMeanSlot, stream);
}

Status RealApi::begin_capture(StreamHandle stream) noexcept {
  return status_of(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeThreadLocal));
}
Status RealApi::end_capture(GraphHandle* out, StreamHandle stream) noexcept {
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream_of(stream), &graph);
  *out = graph;
  return status_of(status);
}
Status RealApi::graph_instantiate(GraphExecHandle* out, GraphHandle graph) noexcept {
  cudaGraphExec_t ready = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&ready, static_cast<cudaGraph_t>(graph), 0);
  *out = ready;
  return status_of(status);
}
Status RealApi::graph_launch(GraphExecHandle graph, StreamHandle stream) noexcept {
  return status_of(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(stream)));
}
Status RealApi::graph_destroy(GraphHandle graph) noexcept {
  return status_of(cudaGraphDestroy(static_cast<cudaGraph_t>(graph)));
}
Status RealApi::graph_exec_destroy(GraphExecHandle graph) noexcept {
  return status_of(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
}

const char* RealApi::error_name(Status status) noexcept { return cudaGetErrorName(static_cast<cudaError_t>(status)); }
const char* RealApi::error_text(Status status) noexcept { return cudaGetErrorString(static_cast<cudaError_t>(status)); }
Status RealApi::take_last_error() noexcept { return status_of(cudaGetLastError()); }
const char* RealApi::gemm_provider() noexcept { return cublas_.provider(); }

// --- backend ---------------------------------------------------------------------------------------------------------

namespace {

using base::tr;
using device::cuda::Backend;
using device::cuda::Capture;
using device::cuda::CaptureRequest;
using device::cuda::GpuInfo;
using trace::CaptureHealth;
using trace::CaptureLevel;
using trace::CaptureState;

/// A capture that captures nothing and gives the reason.
class NoCapture final : public Capture {
 public:
  NoCapture(CaptureState state, std::string reason) noexcept {
    health_.state = state;
    health_.reason = std::move(reason);
  }
  CaptureHealth health() const noexcept override {
    try {
      return health_;
    } catch (const std::exception&) {  // out of memory
      CaptureHealth bare;
      bare.state = health_.state;
      return bare;
    }
  }
  std::vector<trace::OpenCall> open_calls() const noexcept override { return {}; }
  void set_main_thread(std::uint32_t) noexcept override {}
  void flush() noexcept override {}

 private:
  CaptureHealth health_;
};

class RunningCapture final : public Capture {
 public:
  explicit RunningCapture(const CaptureRequest& request) : capture_(*request.sink, request.origin_ns, request.level) {}

  CaptureHealth health() const noexcept override {
    try {
      return capture_.health();
    } catch (const std::exception&) {
      CaptureHealth unknown;
      unknown.state = CaptureState::Degraded;
      return unknown;
    }
  }
  std::vector<trace::OpenCall> open_calls() const noexcept override {
    try {
      return capture_.open_calls();
    } catch (const std::exception&) {
      return {};
    }
  }
  void set_main_thread(std::uint32_t thread) noexcept override {
    try {
      capture_.set_main_thread(thread);
    } catch (const std::exception&) {  // its calls get a lane of their own
    }
  }
  void flush() noexcept override {
    try {
      capture_.flush();
    } catch (const std::exception&) {  // health() says what is missing
    }
  }

 private:
  OwnCapture capture_;
};

/// The number of GPUs; 0 if there is no driver. Clears the error.
int count_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

class CudaBackend final : public Backend {
 public:
  std::vector<GpuInfo> gpus() noexcept override try {
    std::vector<GpuInfo> found;
    int driver = 0, runtime = 0;
    const int count = count_gpus();
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp properties;
      if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
        cudaGetLastError();
        continue;
      }
      found.push_back({i, properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                       properties.totalGlobalMem, driver, runtime});
    }
    return found;
  } catch (const std::exception&) {
    return {};
  }

  std::string capture_problem() noexcept override try {
    return count_gpus() == 0 ? no_gpu() : OwnCapture::problem();
  } catch (const std::exception& error) {
    return text_of(error);
  }

  std::unique_ptr<device::cuda::Api> open(int gpu) noexcept override try {
    if (gpu < 0 || gpu >= count_gpus()) return nullptr;
    return std::make_unique<RealApi>(gpu);
  } catch (const std::exception&) {
    return nullptr;
  }

  std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept override {
    try {
      if (request.level == CaptureLevel::None) return no_capture(CaptureState::Off, {});
      if (!request.sink) return no_capture(CaptureState::Unavailable, tr("the capture has nowhere to write to"));
      if (count_gpus() == 0) return no_capture(CaptureState::Unavailable, no_gpu());
      return std::make_unique<RunningCapture>(request);
    } catch (const std::exception& error) {
      return no_capture(CaptureState::Unavailable, text_of(error));
    }
  }

 private:
  static std::string no_gpu() { return tr("there is no GPU here, or no driver for it"); }
  static std::unique_ptr<Capture> no_capture(CaptureState state, std::string reason) {
    return std::make_unique<NoCapture>(state, std::move(reason));
  }
  static std::string text_of(const std::exception& error) noexcept try { return error.what(); } catch (...) {
    return {};
  }
};

}  // namespace
}  // namespace lanescope::cuda_backend

extern "C" __attribute__((visibility("default"))) lanescope::device::cuda::Backend* lanescope_cuda_backend(int abi) {
  static lanescope::cuda_backend::CudaBackend backend;
  return abi == lanescope::device::cuda::kBackendAbi ? &backend : nullptr;
}
