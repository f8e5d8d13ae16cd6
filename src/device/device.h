// The interface of everything that executes operations. A workload is written once and runs on every device.
//
// Every call is recorded through the device's writer under its CUDA name (cudaLaunchKernel, cudaMemcpyAsync, ...),
// blocking calls with their parts. The GPU work it issues is recorded on the lanes of its stream. The workload's thread
// makes all calls, unless a function says otherwise. Invalid arguments throw base::Error; a failed device throws
// DeviceLost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "device/framework_costs.h"
#include "device/op.h"
#include "trace/capture_health.h"
#include "trace/sink.h"

namespace lanescope::device {

using base::Nanoseconds;
using trace::MemoryKind;

enum class DeviceKind : std::uint8_t {
  Gpu,
  Cpu,  ///< the calling thread computes ops within the call; there are no launches, copies or streams
};

struct DeviceInfo {
  std::string id;       ///< as on the command line: "sim:rtx4090"
  std::string name;     ///< display name: "NVIDIA GeForce RTX 4090"
  std::string profile;  ///< simulated: the profile's name; else empty
  bool simulated = false;
  bool virtual_time = false;  ///< now_ns() is virtual and may run faster or slower than wall-clock time
  double dispatch_us = 0;     ///< the framework's typical CPU cost per op on this machine
  int sm_count = 0;           ///< streaming multiprocessors; 0: unknown
  /// Peak rates of copies to and from pinned memory, in 1e9 bytes per second; 0: unknown.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  std::string driver;  ///< "driver for CUDA 13.0"; empty: none
  DeviceKind kind = DeviceKind::Gpu;
  FrameworkCosts framework;  ///< if known(), its Op is dispatch_us
};

/// The device itself has failed and accepts no more calls. what() names the call, the code and its text. The trace
/// stays intact. A new device may work again.
class DeviceLost : public base::Error {
 public:
  using base::Error::Error;
};

enum class Buffer : std::uint32_t { None = 0 };
enum class Stream : std::uint32_t { Default = 0 };
enum class GpuEvent : std::uint32_t { None = 0 };
enum class Graph : std::uint32_t { None = 0 };
enum class HostThread : std::uint32_t { None = 0 };
enum class HostTask : std::uint64_t { None = 0 };

/// CUDA calls that a host thread makes itself. They take that thread's time and appear on its own lane.
class HostThreadCalls {
 public:
  virtual ~HostThreadCalls() = default;
  virtual bool query(GpuEvent event) = 0;                 ///< cudaEventQuery
  virtual Buffer allocate_pinned(std::size_t bytes) = 0;  ///< cudaHostAlloc
};

/// Decides which buffer a host thread's task copies into, if that is known only when the task begins.
class HostDestination {
 public:
  /// Called once, on the task's thread, before it computes and copies. The buffer must be large enough for the task's
  /// copy.
  virtual Buffer find(HostThreadCalls& calls) = 0;

 protected:
  ~HostDestination() = default;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  // --- the CPU side -------------------------------------------------------------------------------------------------
  /// The calling thread's clock, also used for its events. On a real-time device any thread may call this.
  virtual Nanoseconds now_ns() const = 0;
  /// The calling thread computes for this long (the framework's dispatch). Not recorded.
  virtual void host_work(Nanoseconds ns) = 0;
  /// The calling thread has just written this many bytes of host memory. On a virtual clock, their time passes now; in
  /// real time it already has.
  virtual void host_wrote(std::size_t bytes) = 0;
  /// The program's own ranges use this sink and writer, too, so that they share the device's clock.
  virtual trace::EventSink& sink() = 0;
  virtual trace::EventWriter& writer() = 0;

  /// The calling thread is about to read `bytes` of host memory that a copy may still be writing. Returns false if a
  /// copy into it has not ended, so that the bytes are not the expected ones. Only a simulated device can tell. In real
  /// time the result is always true, and a wrong value shows itself.
  virtual bool host_read(Buffer /*buffer*/, std::size_t /*bytes*/) { return true; }

  // --- other threads of the program ---------------------------------------------------------------------------------
  struct HostWork {
    std::string_view name;     ///< name of the range on the thread's lane
    Nanoseconds busy_ns = 0;   ///< the thread computes for this long,
    Buffer to = Buffer::None;  ///< then copies `bytes` within host memory
    Buffer from = Buffer::None;
    std::size_t bytes = 0;
    std::uint32_t index = 0;  ///< the range's index, like that of an iteration
    /// Replaces `to`; kept alive until the task has ended. GPU devices only; others throw base::Error.
    std::shared_ptr<HostDestination> destination{};
  };
  /// Creates a thread with its own lane of this name. It runs one task at a time, in the order in which they become
  /// ready: on submission, or when the task they depend on has ended. Busy threads in excess of the cores slow each
  /// other down.
  virtual HostThread create_host_thread(std::string_view name);
  /// Ends the thread once its tasks have ended. Does not wait.
  virtual void end_host_thread(HostThread thread);
  virtual HostTask submit(HostThread thread, const HostWork& work, HostTask after = HostTask::None);
  virtual bool ended(HostTask task);
  /// Blocks the calling thread until the task has ended. The wait appears as a range named `what`, with
  /// trace::kWaitFlag, on the calling thread's "waiting" lane. Rethrows an exception of the task's destination.
  virtual void wait_for(HostTask task, std::string_view what);

  // --- capture of the device's own work; any thread -----------------------------------------------------------------
  virtual trace::CaptureHealth capture_health() const { return {}; }
  /// Calls that have started and not yet returned. Empty on virtual-time devices.
  virtual std::vector<trace::OpenCall> open_calls() const { return {}; }
  /// Returns once everything issued and ended has been written to the sink, or no more of it will come.
  virtual void flush_capture() {}

  // --- memory -------------------------------------------------------------------------------------------------------
  /// Zeroed memory: cudaMalloc (Device), cudaHostAlloc (Pinned), or plain host memory without an API call (Pageable).
  virtual Buffer allocate(MemoryKind kind, std::size_t bytes) = 0;
  virtual void release(Buffer buffer) = 0;
  /// The host's view of a Pageable or Pinned buffer; on a CPU device, of any buffer.
  virtual std::span<std::byte> host_data(Buffer buffer) = 0;
  /// Fills the first `bytes` of a Pageable or Pinned buffer with random floats in [0, 1), as a loader makes a batch. On
  /// a virtual clock only the time passes.
  virtual void host_fill(Buffer buffer, std::size_t bytes) = 0;

  // --- streams and events -------------------------------------------------------------------------------------------
  /// A blocking stream synchronises with the legacy default stream; a non-blocking one does not.
  virtual Stream create_stream(bool non_blocking) = 0;
  virtual GpuEvent create_event() = 0;                     ///< cudaEventCreateWithFlags, timing disabled
  virtual GpuEvent create_timing_event() = 0;              ///< cudaEventCreateWithFlags
  virtual void record(GpuEvent event, Stream stream) = 0;  ///< cudaEventRecord
  virtual void wait(Stream stream, GpuEvent event) = 0;    ///< cudaStreamWaitEvent
  virtual bool query(GpuEvent event) = 0;                  ///< cudaEventQuery
  /// cudaEventElapsedTime: the time between the stream reaching one event and reaching the other. Empty while either
  /// has not completed (cudaErrorNotReady). Throws base::Error unless both were created with timing and have been
  /// recorded.
  virtual std::optional<Nanoseconds> elapsed(GpuEvent start, GpuEvent end) = 0;
  virtual void synchronize(GpuEvent event) = 0;  ///< cudaEventSynchronize
  virtual void synchronize(Stream stream) = 0;   ///< cudaStreamSynchronize
  virtual void synchronize() = 0;                ///< cudaDeviceSynchronize

  // --- work ---------------------------------------------------------------------------------------------------------
  struct Slice {  ///< starts at `offset` of a buffer
    Buffer buffer = Buffer::None;
    std::size_t offset = 0;
  };
  virtual void copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) = 0;  ///< cudaMemcpyAsync
  virtual void copy(Slice to, Slice from, std::size_t bytes) = 0;                       ///< cudaMemcpy, default stream
  /// Makes the tensor in `from` available as `to`, like `.to()` of a tensor that is already on the device. Moves the
  /// bytes without an API call and, on a virtual clock, without time. CPU devices only; others throw base::Error.
  virtual void hand_over(Slice to, Slice from, std::size_t bytes);
  virtual void fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) = 0;  ///< cudaMemsetAsync
  /// cudaLaunchKernel. With `compute` false, only the time is modelled, for values too costly to compute. The results
  /// must not be read. The op's buffers then hold no values: copies to and from them take their time but move nothing.
  virtual void launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) = 0;

  // --- CUDA graphs; CPU devices throw base::Error -------------------------------------------------------------------
  /// cudaStreamBeginCapture: until end_capture(), launches and memsets on this stream do not run, but become the nodes
  /// of a graph, one after the other. Not the default stream, as CUDA demands. Every other call that the workload's
  /// thread makes meanwhile fails: "operation not permitted when stream is capturing".
  virtual void begin_capture(Stream stream);
  /// cudaStreamEndCapture and cudaGraphInstantiate. The buffers of the nodes must outlive the graph.
  virtual Graph end_capture(Stream stream);
  /// cudaGraphLaunch: one call that runs all nodes of the graph, whose operations have its correlation number.
  virtual void launch_graph(Graph graph, Stream stream);
  virtual void destroy_graph(Graph graph);  ///< cudaGraphExecDestroy
};

// --- device name -----------------------------------------------------------------------------------------------------
// Device names as stored in a trace and as displayed.

/// The name of the CPU of a simulated GPU's machine: "CPU of NVIDIA GeForce RTX 4090".
std::string cpu_name_beside(std::string_view gpu);
/// Translates the English words in a device's name and keeps the rest.
std::string name_in_words(std::string_view name);

// --- calls -----------------------------------------------------------------------------------------------------------
// The CUDA calls that devices record, under their CUDA names on every device.

enum class CudaCall : std::uint8_t {
  LaunchKernel,
  MemcpyAsync,
  Memcpy,
  MemsetAsync,
  EventRecord,
  EventQuery,
  EventElapsedTime,
  EventSynchronize,
  StreamWaitEvent,
  StreamSynchronize,
  DeviceSynchronize,
  StreamCreate,
  EventCreate,
  Malloc,
  Free,
  HostAlloc,
  FreeHost,
  GraphLaunch,
  StreamBeginCapture,
  StreamEndCapture,
  GraphInstantiate,
  GraphExecDestroy,
};
inline constexpr std::size_t kCudaCalls = 22;

/// The CUDA name: "cudaLaunchKernel".
std::string_view call_name(CudaCall call);

/// The flags of such a call's event: whether it launches, whether it waits.
std::uint8_t flags_of(CudaCall call);

}  // namespace lanescope::device
