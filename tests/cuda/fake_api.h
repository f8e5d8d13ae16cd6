// A GPU in host memory for tests: executes every operation in its call, using the op's reference; counts and logs
// calls; and fails on request.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/api.h"
#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

inline constexpr Status kCaptureUnsupported = 900;  // cudaErrorStreamCaptureUnsupported

/// What the calls of one or several FakeApi objects act on.
struct FakeGpu {
  std::map<std::string, int, std::less<>> counts;  ///< calls so far, by name: "malloc"
  std::vector<std::string> log;                    ///< the calls in order, with the relevant arguments
  bool keep_log = true;
  std::size_t memory_limit = std::size_t{1} << 34;
  bool busy = false;        ///< events have not completed yet
  bool compute = true;      ///< false: launches succeed without computing
  Status pending = 0;       ///< an error of earlier work: the next call reports it
  Status reset_status = 0;  ///< what reset() returns
  int contexts = 0;         ///< times it was made current
  std::map<std::byte*, std::size_t> device, pinned;
  std::set<void*> streams, events;
  /// Nodes of the graphs: memsets and launches that were captured instead of run.
  std::map<void*, std::vector<std::function<void()>>> graphs;
  void* capturing = nullptr;  ///< the stream
  std::vector<std::function<void()>> captured;
  Status last_error = 0;
  mutable std::mutex mutex;  ///< host threads call, too

  int count(std::string_view call) const {
    const std::lock_guard lock(mutex);
    const auto found = counts.find(call);
    return found == counts.end() ? 0 : found->second;
  }
  std::vector<std::string> take_log() { return std::exchange(log, {}); }
  std::size_t device_bytes() const {
    std::size_t sum = 0;
    for (const auto& [data, bytes] : device) sum += bytes;
    return sum;
  }
  /// Makes the nth of these calls from now on fail.
  void fail(std::string call, int nth, Status status) { failures_[call] = {count(call) + nth, status}; }

  Status called(std::string_view call, std::string detail = {}) {
    const std::lock_guard lock(mutex);
    const auto found = counts.find(call);
    const int number = found == counts.end() ? counts[std::string(call)] = 1 : ++found->second;
    if (keep_log) log.push_back(detail.empty() ? std::string(call) : std::string(call) + " " + detail);
    if (const auto failure = failures_.find(call); failure != failures_.end() && failure->second.first == number) {
      pending = failure->second.second;
    }
    // What CUDA does not allow while a stream is captured.
    static const std::set<std::string, std::less<>> kAllowed{"launch", "memset_async", "begin_capture", "end_capture"};
    if (capturing != nullptr && !kAllowed.contains(call)) pending = kCaptureUnsupported;
    last_error = pending;
    // After a sticky error every call returns it.
    return is_sticky(pending) ? pending : std::exchange(pending, kSuccess);
  }
  void forget_error() { pending = last_error = kSuccess; }

 private:
  std::map<std::string, std::pair<int, Status>, std::less<>> failures_;
};

class FakeApi final : public Api {
 public:
  explicit FakeApi(std::shared_ptr<FakeGpu> gpu) : gpu_(std::move(gpu)) {}

  Status use() noexcept override {
    ++gpu_->contexts;
    return gpu_->called("use");
  }
  Status reset() noexcept override {
    gpu_->forget_error();
    (void)gpu_->called("reset");
    for (auto* memory : {&gpu_->device, &gpu_->pinned}) {
      for (const auto& [data, bytes] : *memory) std::free(data);
      memory->clear();
    }
    gpu_->streams.clear();
    gpu_->events.clear();
    return gpu_->reset_status;
  }

  Status malloc(void** out, std::size_t bytes) noexcept override {
    if (const Status status = gpu_->called("malloc", std::to_string(bytes)); status != kSuccess) return status;
    if (gpu_->device_bytes() + bytes > gpu_->memory_limit) {
      gpu_->last_error = kOutOfMemory;
      return kOutOfMemory;
    }
    return obtain(gpu_->device, out, bytes);
  }
  Status free(void* data) noexcept override { return give_back(gpu_->device, "free", data); }
  Status host_alloc(void** out, std::size_t bytes) noexcept override {
    if (const Status status = gpu_->called("host_alloc", std::to_string(bytes)); status != kSuccess) return status;
    return obtain(gpu_->pinned, out, bytes);
  }
  Status free_host(void* data) noexcept override { return give_back(gpu_->pinned, "free_host", data); }

  Status stream_create(StreamHandle* out, bool non_blocking) noexcept override {
    const Status status = gpu_->called("stream_create", non_blocking ? "non-blocking" : "blocking");
    if (status == kSuccess) *out = add(gpu_->streams);
    return status;
  }
  Status stream_destroy(StreamHandle stream) noexcept override {
    gpu_->streams.erase(stream);
    return gpu_->called("stream_destroy");
  }
  Status stream_synchronize(StreamHandle stream) noexcept override {
    return gpu_->called("stream_synchronize", name(stream));
  }
  Status stream_wait_event(StreamHandle stream, EventHandle event) noexcept override {
    return gpu_->called("stream_wait_event", name(stream) + " " + name(event));
  }
  Status event_create(EventHandle* out, bool timing) noexcept override {
    const Status status = gpu_->called("event_create", timing ? "timing" : "");
    if (status == kSuccess) *out = add(gpu_->events);
    return status;
  }
  Status event_destroy(EventHandle event) noexcept override {
    gpu_->events.erase(event);
    return gpu_->called("event_destroy");
  }
  Status event_record(EventHandle event, StreamHandle stream) noexcept override {
    return gpu_->called("event_record", name(event) + " " + name(stream));
  }
  Status event_query(EventHandle event) noexcept override {
    const Status status = gpu_->called("event_query", name(event));
    if (status != kSuccess || !gpu_->busy) return status;
    gpu_->last_error = kNotReady;
    return kNotReady;
  }
  Status event_elapsed(float* out_ms, EventHandle start, EventHandle end) noexcept override {
    const Status status = gpu_->called("event_elapsed", name(start) + " " + name(end));
    if (status != kSuccess) return status;
    if (gpu_->busy) {
      gpu_->last_error = kNotReady;
      return kNotReady;
    }
    *out_ms = 0.25f;
    return kSuccess;
  }
  Status event_synchronize(EventHandle event) noexcept override {
    return gpu_->called("event_synchronize", name(event));
  }
  Status device_synchronize() noexcept override { return gpu_->called("device_synchronize"); }

  Status memcpy_async(void* to, const void* from, std::size_t bytes, StreamHandle stream) noexcept override {
    const Status status = gpu_->called("memcpy_async", std::to_string(bytes) + " " + name(stream));
    if (status == kSuccess) std::memmove(to, from, bytes);
    return status;
  }
  Status memcpy(void* to, const void* from, std::size_t bytes) noexcept override {
    const Status status = gpu_->called("memcpy", std::to_string(bytes));
    if (status == kSuccess) std::memmove(to, from, bytes);
    return status;
  }
  Status memset_async(void* to, std::uint8_t value, std::size_t bytes, StreamHandle stream) noexcept override {
    const Status status = gpu_->called("memset_async", std::to_string(bytes) + " " + name(stream));
    if (status != kSuccess) return status;
    return run_or_capture(stream, [=] { std::memset(to, value, bytes); });
  }
  Status launch(const ops::Op& op, std::span<const Arg> args, StreamHandle stream) noexcept override {
    const Status status = gpu_->called("launch", std::string(ops::kernel_name(op.kind)) + " " + name(stream));
    if (status != kSuccess || !gpu_->compute) return status;
    const std::vector<Arg> kept(args.begin(), args.end());
    return run_or_capture(stream, [this, op, kept] {
      try {
        std::vector<std::span<float>> spans;
        for (const Arg& arg : kept) spans.emplace_back(arg.data, arg.elements);
        ops::run_reference(op, spans);
      } catch (...) {
        gpu_->pending = 719;  // like a failing kernel: a later call reports it
      }
    });
  }

  Status begin_capture(StreamHandle stream) noexcept override {
    const Status status = gpu_->called("begin_capture", name(stream));
    if (status != kSuccess) return status;
    if (stream == nullptr) return gpu_->last_error = kCaptureUnsupported;
    gpu_->capturing = stream;
    gpu_->captured.clear();
    return kSuccess;
  }
  Status end_capture(GraphHandle* out, StreamHandle stream) noexcept override {
    const Status status = gpu_->called("end_capture", name(stream));
    gpu_->capturing = nullptr;
    *out = reinterpret_cast<void*>(++handles_);
    gpu_->graphs[*out] = std::exchange(gpu_->captured, {});
    return status;
  }
  Status graph_instantiate(GraphExecHandle* out, GraphHandle graph) noexcept override {
    const Status status = gpu_->called("graph_instantiate");
    if (status != kSuccess) return status;
    *out = reinterpret_cast<void*>(++handles_);
    gpu_->graphs[*out] = gpu_->graphs[graph];
    return kSuccess;
  }
  Status graph_launch(GraphExecHandle graph, StreamHandle stream) noexcept override {
    const Status status = gpu_->called("graph_launch", std::to_string(gpu_->graphs[graph].size()) + " " + name(stream));
    if (status != kSuccess) return status;
    for (const auto& node : gpu_->graphs[graph]) node();
    return kSuccess;
  }
  Status graph_destroy(GraphHandle graph) noexcept override {
    gpu_->graphs.erase(graph);
    return gpu_->called("graph_destroy");
  }
  Status graph_exec_destroy(GraphExecHandle graph) noexcept override {
    gpu_->graphs.erase(graph);
    return gpu_->called("graph_exec_destroy");
  }

  const char* error_name(Status status) noexcept override {
    switch (status) {
      case 1:
        return "cudaErrorInvalidValue";
      case kOutOfMemory:
        return "cudaErrorMemoryAllocation";
      case 46:
        return "cudaErrorDevicesUnavailable";
      case 700:
        return "cudaErrorIllegalAddress";
      case kCaptureUnsupported:
        return "cudaErrorStreamCaptureUnsupported";
      default:
        return "cudaErrorOther";
    }
  }
  const char* error_text(Status status) noexcept override {
    switch (status) {
      case 1:
        return "invalid argument";
      case kOutOfMemory:
        return "out of memory";
      case 46:
        return "CUDA-capable device(s) is/are busy or unavailable";
      case kCaptureUnsupported:
        return "operation not permitted when stream is capturing";
      case 700:
        return "an illegal memory access was encountered";
      default:
        return "another error";
    }
  }
  Status take_last_error() noexcept override { return std::exchange(gpu_->last_error, kSuccess); }
  const char* gemm_provider() noexcept override { return "the reference"; }

 private:
  using Memory = std::map<std::byte*, std::size_t>;

  Status run_or_capture(StreamHandle stream, std::function<void()> work) {
    if (gpu_->capturing == nullptr) {
      work();
      return kSuccess;
    }
    if (gpu_->capturing != stream) return gpu_->last_error = kCaptureUnsupported;
    gpu_->captured.push_back(std::move(work));
    return kSuccess;
  }
  Status obtain(Memory& memory, void** out, std::size_t bytes) {
    auto* data = static_cast<std::byte*>(std::malloc(bytes));
    std::memset(data, 0xaa, bytes);  // what CUDA hands out is not zeroed
    const std::lock_guard lock(gpu_->mutex);
    memory[data] = bytes;
    *out = data;
    return kSuccess;
  }
  Status give_back(Memory& memory, const char* call, void* data) {
    if (const Status status = gpu_->called(call); status != kSuccess) return status;
    if (memory.erase(static_cast<std::byte*>(data)) == 0) return 1;
    std::free(data);
    return kSuccess;
  }
  void* add(std::set<void*>& handles) {
    void* handle = reinterpret_cast<void*>(++handles_);
    handles.insert(handle);
    return handle;
  }
  static std::string name(const void* handle) {
    return handle == nullptr ? "default" : "#" + std::to_string(reinterpret_cast<std::uintptr_t>(handle));
  }

  std::shared_ptr<FakeGpu> gpu_;
  std::uintptr_t handles_ = 0;
};

/// The health of a capture that records nothing.
struct FakeRecording {
  trace::CaptureHealth health;
  std::vector<trace::OpenCall> open;
  int flushes = 0;
  std::uint32_t main_thread = 0;
  bool alive = false;
  CaptureRequest request;
};

class FakeCapture final : public Capture {
 public:
  explicit FakeCapture(std::shared_ptr<FakeRecording> recording) : recording_(std::move(recording)) {
    recording_->alive = true;
  }
  ~FakeCapture() override { recording_->alive = false; }
  trace::CaptureHealth health() const noexcept override { return recording_->health; }
  std::vector<trace::OpenCall> open_calls() const noexcept override { return recording_->open; }
  void set_main_thread(std::uint32_t thread) noexcept override { recording_->main_thread = thread; }
  void flush() noexcept override { ++recording_->flushes; }

 private:
  std::shared_ptr<FakeRecording> recording_;
};

inline GpuInfo fake_gpu_info(int index, int major = 9, int minor = 0) {
  GpuInfo gpu;
  gpu.index = index;
  gpu.name = "Fake GPU " + std::to_string(index);
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.sm_count = 132;
  gpu.memory_bytes = 80'000'000'000;
  gpu.driver_version = gpu.runtime_version = 13000;
  return gpu;
}

class FakeBackend final : public Backend {
 public:
  std::vector<GpuInfo> gpus() noexcept override { return infos; }
  std::string capture_problem() noexcept override { return problem; }
  std::unique_ptr<Api> open(int gpu) noexcept override {
    order.push_back("open");
    if (absent) return nullptr;
    return std::make_unique<FakeApi>(this->gpu(gpu));
  }
  std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept override {
    order.push_back("capture");
    recording->request = request;
    return std::make_unique<FakeCapture>(recording);
  }
  std::shared_ptr<FakeGpu> gpu(int index) {
    if (!gpus_[index]) gpus_[index] = std::make_shared<FakeGpu>();
    return gpus_[index];
  }

  std::vector<GpuInfo> infos{fake_gpu_info(0)};
  std::string problem;
  bool absent = false;
  std::vector<std::string> order;
  std::shared_ptr<FakeRecording> recording = std::make_shared<FakeRecording>();

 private:
  std::map<int, std::shared_ptr<FakeGpu>> gpus_;
};

}  // namespace lanescope::device::cuda
