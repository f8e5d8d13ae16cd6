// A GPU in real time, driven through cuda::Api and recorded by a cuda::Capture.
//
// Rules beyond device.h:
// - Time is CLOCK_MONOTONIC relative to the device's origin.
// - A launch always runs its kernel, whatever `compute` says: no value is too costly on a GPU.
// - Device memory comes from a caching allocator, so most allocations make no API call except the memset that zeroes
//   them. For buffers used on a non-blocking stream, events order that memset before the use, and the use before the
//   next user of the memory.
// - A graph launched on the default stream runs after earlier work there. Its nodes were captured on a stream of their
//   own, so what orders buffers between streams is recorded before the capture begins.
// - A failed call throws base::Error with its name, code and text, even if the error arose earlier. A sticky error
//   throws DeviceLost. From then on every call that needs the GPU throws it again without touching CUDA.
// - Without a capture, the device records and times its own API calls. The GPU side and the parts of waits are then
//   unknown.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/catalogue.h"
#include "device/cuda/api.h"
#include "device/cuda/backend.h"
#include "device/cuda/device_allocator.h"
#include "device/cuda/random_fill.h"
#include "device/real_host_threads.h"
#include "device/sim/log.h"

namespace lanescope::device::cuda {

// --- lost gpus -------------------------------------------------------------------------------------------------------
// The GPUs that have failed in this process: the next device on one of them starts with a reset. Thread-safe.

class LostGpus {
 public:
  void add(int gpu) {
    const std::lock_guard lock(mutex_);
    gpus_.insert(gpu);
  }
  /// Call after the GPU was reset and works again.
  void remove(int gpu) {
    const std::lock_guard lock(mutex_);
    gpus_.erase(gpu);
  }
  bool contains(int gpu) {
    const std::lock_guard lock(mutex_);
    return gpus_.contains(gpu);
  }

 private:
  std::mutex mutex_;
  std::set<int> gpus_;
};

inline LostGpus& lost_gpus() {
  static LostGpus lost;
  return lost;
}

// --- cuda device -----------------------------------------------------------------------------------------------------

DeviceInfo info_of(const GpuInfo& gpu);
/// CLOCK_MONOTONIC.
std::int64_t monotonic_ns();

class CudaDevice final : public Device {
 public:
  /// `origin_ns` is the zero of all times, the same as the capture's. A null capture means that none was requested.
  /// Throws base::Error if the GPU cannot be used.
  CudaDevice(std::unique_ptr<Api> api, std::unique_ptr<Capture> capture, const GpuInfo& gpu, DeviceContext context,
             std::int64_t origin_ns);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DeviceInfo& info() const override { return info_; }
  Nanoseconds now_ns() const override { return monotonic_ns() - origin_ns_; }
  void host_work(Nanoseconds ns) override;
  void host_wrote(std::size_t) override {}
  trace::EventSink& sink() override { return *context_.sink; }
  trace::EventWriter& writer() override { return *writer_; }

  HostThread create_host_thread(std::string_view name) override { return threads_->create(name); }
  void end_host_thread(HostThread thread) override { threads_->end(thread); }
  HostTask submit(HostThread thread, const HostWork& work, HostTask after) override {
    return threads_->submit(thread, work, after);
  }
  bool ended(HostTask task) override { return threads_->ended(task); }
  void wait_for(HostTask task, std::string_view what) override;

  trace::CaptureHealth capture_health() const override;
  std::vector<trace::OpenCall> open_calls() const override;
  void flush_capture() override;

  Buffer allocate(MemoryKind kind, std::size_t bytes) override;
  void release(Buffer buffer) override;
  std::span<std::byte> host_data(Buffer buffer) override;
  void host_fill(Buffer buffer, std::size_t bytes) override;

  Stream create_stream(bool non_blocking) override;
  GpuEvent create_event() override { return new_event(false); }
  GpuEvent create_timing_event() override { return new_event(true); }
  void record(GpuEvent event, Stream stream) override;
  void wait(Stream stream, GpuEvent event) override;
  bool query(GpuEvent event) override;
  std::optional<Nanoseconds> elapsed(GpuEvent start, GpuEvent end) override;
  void synchronize(GpuEvent event) override;
  void synchronize(Stream stream) override;
  void synchronize() override;

  void copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) override;
  void copy(Slice to, Slice from, std::size_t bytes) override;
  void fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) override;
  void launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) override;

  void begin_capture(Stream stream) override;
  Graph end_capture(Stream stream) override;
  void launch_graph(Graph graph, Stream stream) override;
  void destroy_graph(Graph graph) override;

  const CachingDeviceAllocator& allocator() const { return allocator_; }

 private:
  class ThreadCalls;
  using Call = CudaCall;
  struct StreamState {
    StreamHandle handle = nullptr;
    bool non_blocking = false;
    std::uint64_t ordered_after = 0;  // number of the last zeroing memset before it
  };

  /// Makes the call on the current thread's device, and records it if no capture does.
  template <typename Function>
  Status make(Call call, Function function);
  /// The same, but throws if the call fails.
  template <typename Function>
  void must(Call call, Function function);
  void begin();
  void write_call(Call call, Nanoseconds start_ns, Nanoseconds end_ns);
  [[noreturn]] void fail(std::string_view call, Status status);
  std::string message(std::string_view call, Status status) const;
  [[noreturn]] void lose(std::string why);
  void progress(Nanoseconds now, bool always);

  const StreamState& stream_of(Stream stream, Call call) const;
  GpuEvent new_event(bool timing);
  EventHandle event_of(GpuEvent event, Call call) const;
  GraphExecHandle graph_of(Graph graph, Call call) const;
  std::byte* new_device_memory(std::size_t bytes);
  std::byte* new_pinned_memory(std::size_t bytes);
  /// Call before issuing work on `stream` that uses the buffer.
  void order_use(Buffers::Slot& slot, Stream stream);
  /// Makes work issued on `after` from now on wait for the work already issued on `before`.
  void order(StreamHandle before, StreamHandle after);
  void order_reuse(Buffers::Slot& slot);
  void tear_down();

  DeviceContext context_;
  DeviceInfo info_;
  GpuInfo gpu_;
  const std::int64_t origin_ns_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<Capture> capture_;
  std::unique_ptr<trace::EventWriter> writer_;
  std::optional<sim::Log> log_;  // only if no capture records the calls
  std::thread::id current_on_;   // the thread on which the GPU is current
  mutable std::mutex events_mutex_;
  Buffers buffers_;
  CachingDeviceAllocator allocator_;
  std::vector<StreamState> streams_;
  std::deque<EventHandle> events_;       // a deque: host threads read their events while others are added
  std::vector<GraphExecHandle> graphs_;  // null: destroyed
  EventHandle order_event_ = nullptr;
  std::uint64_t zeroed_ = 0;  // number of zeroing memsets of new device memory so far
  RandomFill random_;
  Nanoseconds reported_until_ns_ = 0;
  std::string lost_;  // the reason; empty while the GPU works
  std::unique_ptr<RealHostThreads> threads_;
};

/// Opens a GPU of the backend, starting its capture before the first CUDA call. Resets a GPU that this process lost
/// earlier. Throws base::Error if the GPU cannot be used.
std::unique_ptr<CudaDevice> make_cuda_device(Backend& backend, const GpuInfo& gpu, DeviceContext context);

}  // namespace lanescope::device::cuda
