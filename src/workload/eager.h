// The framework between a workload and the device: for each operation, makes the calls that eager PyTorch makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

// --- host allocator --------------------------------------------------------------------------------------------------
// Models PyTorch's caching allocator for pinned host memory (aten/src/ATen/core/CachingHostAllocator.h).

/// Sizes are rounded up to a power of two; blocks are never split. A freed block that a non-blocking copy has used is
/// reused only once the copies before its release are done. To that end, the release records an event per stream, and
/// later allocations query these events, oldest first.
///
/// Any thread may allocate. The allocating thread makes the required calls (cudaEventQuery, and cudaHostAlloc if no
/// block is free) without holding a lock, so that one thread's cudaHostAlloc does not block another thread. All other
/// functions are for the program's main thread.
class CachingHostAllocator {
 public:
  explicit CachingHostAllocator(device::Device& device) : device_(device) {}

  device::Buffer allocate(std::size_t bytes);
  /// For a host thread, after it has begun a task.
  device::Buffer allocate(std::size_t bytes, device::HostThreadCalls& calls);
  /// Records that a non-blocking copy on `stream` reads or writes the block.
  void record_stream(device::Buffer block, device::Stream stream);
  void free(device::Buffer block);

 private:
  struct Block {
    std::size_t bytes = 0;
    std::vector<device::Stream> streams;  // of non-blocking copies since it was allocated
    int events_outstanding = 0;
  };
  struct PendingFree {
    device::GpuEvent event;
    device::Buffer block;
  };

  void process_events(device::HostThreadCalls& calls);
  std::optional<PendingFree> oldest_pending();
  device::GpuEvent take_event();

  device::Device& device_;
  std::mutex mutex_;  // guards everything below
  std::map<device::Buffer, Block> blocks_;
  std::map<std::size_t, std::vector<device::Buffer>> free_;  // by size
  std::deque<PendingFree> pending_;                          // oldest first
  std::vector<device::GpuEvent> idle_events_;
};

// --- eager -----------------------------------------------------------------------------------------------------------

/// A float32 tensor on the device. A handle: copies are the same tensor.
struct Tensor {
  device::Buffer buffer = device::Buffer::None;
  std::size_t elements = 0;
};

/// The number of elements of a matrix.
constexpr std::size_t elements(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// A float32 tensor in host memory.
struct HostTensor {
  device::Buffer buffer = device::Buffer::None;
  std::size_t elements = 0;
  bool pinned = false;
};

/// All work goes to the default stream, as in a program that does not choose one, unless it says so.
class Eager {
 public:
  static constexpr std::size_t kMostReused = std::size_t{32} << 20;  // bytes
  static constexpr device::Stream kStream = device::Stream::Default;

  /// With `compute` false, only the kernels' time is modelled, and values must not be read.
  ///
  /// On a CPU (DeviceInfo::kind) the functions below make no CUDA calls, like PyTorch with CPU tensors: .to() and
  /// .cpu() return the tensor itself, .item() is a plain read, nothing is pinned, and there is nothing to wait for.
  Eager(device::Device& device, bool compute);

  device::Device& device() { return device_; }
  bool on_cpu() const { return on_cpu_; }
  /// False if only time passes: nobody can tell what a tensor holds, so it need not be worked out.
  bool holds_values() const { return compute_ || !device_.info().virtual_time; }
  /// Sets the framework's own CPU time before each operation. If DeviceInfo::framework is known, all its costs are
  /// scaled with it, so that 0 is a program without a framework; else, every operation takes as long.
  void set_dispatch_us(double us);
  /// A statement that makes no CUDA call, or whose calls the caller makes, `times` times.
  void spend(device::FrameworkCall call, double times = 1);
  /// optimizer.zero_grad(): lets the gradients go, which takes no kernel.
  void zero_grad(int parameters);
  /// torch.cuda.stream(stream): launches go there from now on. Copies and reads stay on the default stream.
  void set_stream(device::Stream stream) { stream_ = stream; }

  /// x[a:b], `times` times: a view, which takes no kernel.
  void slice(int times);

  /// torch.empty(elements, device="cuda"). The memory is never freed, as in PyTorch's caching allocator.
  Tensor tensor(std::size_t elements);
  /// torch.empty(elements, pin_memory=pinned). The framework keeps pinned memory. Pageable memory of up to 32 MiB is
  /// reused, too, without any API call; more goes back to the operating system when dropped, so that a new tensor has
  /// fresh pages: the dynamic M_MMAP_THRESHOLD of the GNU C library, mallopt(3).
  HostTensor host_tensor(std::size_t elements, bool pinned);
  /// The allocator behind torch.empty(elements, pin_memory=True). Shared, because host threads may still be using it.
  const std::shared_ptr<CachingHostAllocator>& pinned_memory() const { return pinned_; }
  std::span<float> values(const HostTensor& tensor);
  /// Drops the last reference to a host tensor.
  void drop(const HostTensor& tensor);
  /// tensor.uniform_(): the CPU fills a batch with random values.
  void host_fill(const HostTensor& tensor);
  /// Call after writing the tensor through values().
  void host_wrote(const HostTensor& tensor) { device_.host_wrote(tensor.elements * sizeof(float)); }

  /// Launches one operation with one kernel. On a CPU, an SgdStep is one operation per parameter.
  void launch(const ops::Op& op, std::initializer_list<Tensor> args);
  /// g.replay(): one dispatch and one launch for all operations of the graph.
  void launch(device::Graph graph);
  /// to[:n].copy_(from[:n], non_blocking=...). A blocking copy is an asynchronous copy followed by a wait for the
  /// stream.
  void copy_to_device(const Tensor& to, const HostTensor& from, std::size_t elements, bool non_blocking,
                      device::Stream stream = kStream);
  /// to[first:first + n].copy_(from[first:first + n], non_blocking=...)
  void copy_part_to_device(const Tensor& to, const HostTensor& from, std::size_t first, std::size_t elements,
                           bool non_blocking, device::Stream stream = kStream);
  /// to[:n].copy_(from[first:first + n]), both on the device.
  void copy_on_device(const Tensor& to, const Tensor& from, std::size_t first, std::size_t elements);
  /// to[:n].copy_(from[:n], non_blocking=...), device to host. With a fresh pageable `to` this is from.cpu().
  void copy_to_host(const HostTensor& to, const Tensor& from, std::size_t elements, bool non_blocking);
  /// tensor[index].item(): copies four bytes to pinned scratch memory and waits for the stream.
  float item(const Tensor& tensor, std::size_t index = 0);
  /// bool(tensor[index]) of a comparison's result: the same with one byte, the size of PyTorch's bool.
  bool truth(const Tensor& tensor, std::size_t index = 0);
  void synchronize();                        ///< torch.cuda.synchronize()
  void synchronize(device::GpuEvent event);  ///< event.synchronize()

  /// torch.cuda.set_sync_debug_mode("warn"): each warning is a range on the "warnings" lane, from the start of the
  /// statement to its first call.
  void set_sync_debug(bool warn) { sync_debug_ = warn; }
  /// PyTorch performs the check where it copies and waits together: item(), bool(), blocking copies. It misses
  /// torch.cuda.synchronize(), event.synchronize(), and non-blocking copies into pageable memory, which wait, too.
  struct SyncCounts {
    std::uint64_t waits = 0;     ///< statements that make the CPU wait for the GPU, detected or not
    std::uint64_t warnings = 0;  ///< of these, the ones PyTorch warned about
  };
  SyncCounts take_sync_counts() { return std::exchange(sync_counts_, {}); }

  /// The program reads a host tensor. If a copy into it has not ended yet, leaves a range with trace::kNotArrivedFlag
  /// on the "reads" lane and sets `*arrived` to false. A real device cannot tell, see Device::host_read().
  std::span<const float> read(const HostTensor& tensor, std::size_t elements, bool* arrived = nullptr);
  /// Leaves the same mark at the current time, for a program that has found a wrong value itself.
  void mark_stale_read();
  /// Since `start_ns` the program's thread has only loaded data: leaves a range with trace::kWaitFlag on the "waiting"
  /// lane, as Device::wait_for() does when another thread loads the data.
  void mark_data_wait(base::Nanoseconds start_ns, std::string_view name);

 private:
  friend class Phase;
  friend class Backward;
  void dispatch() {
    if (dispatch_ns_ > 0) device_.host_work(dispatch_ns_);
  }
  /// The framework's part of a statement with one operation.
  void dispatch(device::FrameworkCall call) {
    if (framework_.known()) {
      spend(call);
    } else {
      dispatch();
    }
  }
  void dispatch(const ops::Op& op, std::size_t args);
  void run(const ops::Op& op, std::span<const Tensor> args);
  /// .to() on a CPU: the tensor is already there. This program has two buffers for it, so it moves the values.
  void hand_over(device::Device::Slice to, device::Device::Slice from, std::size_t count);
  void read_scalar(const Tensor& tensor, std::size_t offset, std::span<std::byte> value);
  void copy_and_wait_follow(base::Nanoseconds statement_began);
  trace::NameId phase_name(std::string_view name);

  device::Device& device_;
  const bool compute_;
  const bool on_cpu_;
  const device::FrameworkCosts& framework_;
  double framework_scale_ = 1;
  base::Nanoseconds dispatch_ns_ = 0;
  bool in_backward_ = false;
  device::Stream stream_ = kStream;  // of launches
  const std::shared_ptr<CachingHostAllocator> pinned_;
  std::map<std::size_t, std::vector<device::Buffer>> pageable_free_;  // by size, a power of two
  const trace::LaneId phase_lane_;
  std::vector<std::pair<std::string, trace::NameId>> phase_names_;  // a few, looked up once per phase
  bool in_phase_ = false;
  std::optional<trace::LaneId> reads_lane_, warnings_lane_;  // created when first needed
  bool sync_debug_ = false;
  SyncCounts sync_counts_;
};

/// loss.backward() for the object's lifetime: operations are the backward passes of what they compute.
class Backward {
 public:
  explicit Backward(Eager& eager) : eager_(eager) {
    eager_.spend(device::FrameworkCall::Backward);
    eager_.in_backward_ = true;
  }
  ~Backward() { eager_.in_backward_ = false; }
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;

 private:
  Eager& eager_;
};

/// Marks a phase of the program for the object's lifetime: a range on the "phase" lane. Phases do not nest.
class Phase {
 public:
  Phase(Eager& eager, std::string_view name, trace::RangeKind kind = trace::RangeKind::Phase);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Eager& eager_;
  trace::Event event_;
};

}  // namespace lanescope::workload
