// What executes operations. A workload is written once against this interface and runs on every device.
//
// Every call records itself through the device's writer under its CUDA name (cudaLaunchKernel, cudaMemcpyAsync, ...),
// blocking calls with their parts, and the GPU work it causes on the lanes of its stream.
// One thread, the workload's, makes all calls. Errors in the arguments throw base::Error.
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
#include "ops/op.h"
#include "trace/capture_health.h"
#include "trace/sink.h"

namespace lanescope::device {

using base::Nanoseconds;
using trace::MemoryKind;

enum class DeviceKind : std::uint8_t {
  Gpu,
  Cpu,  ///< ops are computed by the calling thread, within the call; there are no launches, copies or streams
};

struct DeviceInfo {
  std::string id;       ///< as on the command line: "sim:rtx4090"
  std::string name;     ///< for a person: "NVIDIA GeForce RTX 4090"
  std::string profile;  ///< simulated: the profile's name; else empty
  bool simulated = false;
  bool virtual_time = false;  ///< now_ns() is virtual: it may run faster or slower than the wall clock
  double dispatch_us = 0;     ///< the framework's own CPU cost per op that is usual on this machine
  int sm_count = 0;           ///< streaming multiprocessors; 0: unknown
  /// What copies from and to pinned memory reach, 1e9 bytes per second; 0: not known.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  std::string driver;  ///< "driver for CUDA 13.0"; empty: none
  DeviceKind kind = DeviceKind::Gpu;
};

/// The device itself has failed and takes no more calls; what() names the call, the code and its text. The trace is
/// untouched. A new device may work again.
class DeviceLost : public base::Error {
 public:
  using base::Error::Error;
};

enum class Buffer : std::uint32_t { None = 0 };
enum class Stream : std::uint32_t { Default = 0 };
enum class GpuEvent : std::uint32_t { None = 0 };
enum class HostThread : std::uint32_t { None = 0 };
enum class HostTask : std::uint64_t { None = 0 };

/// The CUDA calls that a host thread makes for itself: they take that thread's time and stand on a lane of its own.
class HostThreadCalls {
 public:
  virtual ~HostThreadCalls() = default;
  virtual bool query(GpuEvent event) = 0;                 ///< cudaEventQuery
  virtual Buffer allocate_pinned(std::size_t bytes) = 0;  ///< cudaHostAlloc
};

/// The buffer that a task of a host thread copies into, where that is decided only when the task begins.
class HostDestination {
 public:
  /// Called once, on the task's thread, before it computes and copies. At least as large as what the task copies.
  virtual Buffer find(HostThreadCalls& calls) = 0;

 protected:
  ~HostDestination() = default;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  // --- the CPU side -------------------------------------------------------------------------------------------------
  /// The calling thread's clock, the one that events are recorded on. On a device in real time any thread may ask.
  virtual Nanoseconds now_ns() const = 0;
  /// The calling thread computes for this long (the framework's dispatch). This is not recorded.
  virtual void host_work(Nanoseconds ns) = 0;
  /// The calling thread has just written this much to host memory. In virtual time that time passes now; in real time
  /// it has passed already.
  virtual void host_wrote(std::size_t bytes) = 0;
  /// Lanes for the program's own ranges are made here too, so that they share the device's clock and writer.
  virtual trace::EventSink& sink() = 0;
  virtual trace::EventWriter& writer() = 0;

  /// The calling thread is about to read `bytes` of host memory that a copy may still be writing. False when a copy
  /// into it has not ended yet, so that the bytes are not what the program means to read. Only a simulated device
  /// knows: in real time the answer is always true, and a wrong number shows by itself.
  virtual bool host_read(Buffer /*buffer*/, std::size_t /*bytes*/) { return true; }

  // --- further threads of the program -------------------------------------------------------------------------------
  struct HostWork {
    std::string_view name;     ///< of the range it leaves on its thread's lane
    Nanoseconds busy_ns = 0;   ///< the thread computes for this long,
    Buffer to = Buffer::None;  ///< and then copies `bytes` inside host memory
    Buffer from = Buffer::None;
    std::size_t bytes = 0;
    std::uint32_t index = 0;  ///< the range's number, as of an iteration
    /// In place of `to`, kept until the task has ended. Only on a GPU; any other device throws base::Error.
    std::shared_ptr<HostDestination> destination{};
  };
  /// A thread with a lane of its own of this name. It does one task at a time, in the order in which they become ready:
  /// when they are submitted, or when the task they come after has ended. More threads at work than the machine has
  /// cores slow each other down.
  virtual HostThread create_host_thread(std::string_view name);
  /// When its tasks have ended; does not wait for that.
  virtual void end_host_thread(HostThread thread);
  virtual HostTask submit(HostThread thread, const HostWork& work, HostTask after = HostTask::None);
  virtual bool ended(HostTask task);
  /// The calling thread waits until the task has ended. A wait leaves a range called `what`, with trace::kWaitFlag, on
  /// the lane "waiting" of the calling thread. Throws what the task's destination has thrown.
  virtual void wait_for(HostTask task, std::string_view what);

  // --- the recording of the device's own work; any thread -----------------------------------------------------------
  virtual trace::CaptureHealth capture_health() const { return {}; }
  /// Calls that have begun and are not back, of devices in real time.
  virtual std::vector<trace::OpenCall> open_calls() const { return {}; }
  /// Returns when all that was issued and has ended is written to the sink, or when no more of it comes.
  virtual void flush_capture() {}

  // --- memory -------------------------------------------------------------------------------------------------------
  /// cudaMalloc, cudaHostAlloc (Pinned), or plain host memory (Pageable, no API call). Zeroed.
  virtual Buffer allocate(MemoryKind kind, std::size_t bytes) = 0;
  virtual void release(Buffer buffer) = 0;
  /// The host's view of a Pageable or Pinned buffer; on a CPU of any, since all its memory is the host's.
  virtual std::span<std::byte> host_data(Buffer buffer) = 0;
  /// The calling thread makes a batch of arbitrary values in [0, 1): it fills the first `bytes` of a Pageable or Pinned
  /// buffer with floats. In virtual time only the time passes.
  virtual void host_fill(Buffer buffer, std::size_t bytes) = 0;

  // --- streams and events -------------------------------------------------------------------------------------------
  /// A blocking stream synchronises with the legacy default stream; a non-blocking one does not.
  virtual Stream create_stream(bool non_blocking) = 0;
  virtual GpuEvent create_event() = 0;                     ///< cudaEventCreateWithFlags, timing disabled
  virtual GpuEvent create_timing_event() = 0;              ///< cudaEventCreateWithFlags
  virtual void record(GpuEvent event, Stream stream) = 0;  ///< cudaEventRecord
  virtual void wait(Stream stream, GpuEvent event) = 0;    ///< cudaStreamWaitEvent
  virtual bool query(GpuEvent event) = 0;                  ///< cudaEventQuery
  /// cudaEventElapsedTime: from when the stream came to one event until it came to the other. Empty while either has
  /// not happened (cudaErrorNotReady). Both were made with timing and have been recorded, else it throws base::Error.
  virtual std::optional<Nanoseconds> elapsed(GpuEvent start, GpuEvent end) = 0;
  virtual void synchronize(GpuEvent event) = 0;  ///< cudaEventSynchronize
  virtual void synchronize(Stream stream) = 0;   ///< cudaStreamSynchronize
  virtual void synchronize() = 0;                ///< cudaDeviceSynchronize

  // --- work ---------------------------------------------------------------------------------------------------------
  struct Slice {  ///< `bytes` of a buffer from `offset`
    Buffer buffer = Buffer::None;
    std::size_t offset = 0;
  };
  virtual void copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) = 0;  ///< cudaMemcpyAsync
  virtual void copy(Slice to, Slice from, std::size_t bytes) = 0;                       ///< cudaMemcpy, default stream
  /// The tensor in `from` is `to` from now on: what `.to()` of a tensor does that is there already. The bytes go over
  /// without a call, and in virtual time without time. Only on a CPU; any other device throws base::Error.
  virtual void hand_over(Slice to, Slice from, std::size_t bytes);
  virtual void fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) = 0;  ///< cudaMemsetAsync
  /// cudaLaunchKernel. With `compute` false only the time is modelled (the values are too costly to compute): results
  /// are then not to be read. The buffers it names hold no values from then on: copies to and from them take their time
  /// and move nothing.
  virtual void launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) = 0;
};

}  // namespace lanescope::device
