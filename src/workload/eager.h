// The framework between a workload and the device: issues, call by call, what eager PyTorch issues for an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device.h"
#include "workload/host_allocator.h"

namespace lanescope::workload {

/// A float32 tensor on the device. A handle: copies are the same tensor.
struct Tensor {
  device::Buffer buffer = device::Buffer::None;
  std::size_t elements = 0;
};

/// Of a matrix.
constexpr std::size_t elements(std::int32_t rows, std::int32_t columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// A float32 tensor in host memory.
struct HostTensor {
  device::Buffer buffer = device::Buffer::None;
  std::size_t elements = 0;
  bool pinned = false;
};

/// All work goes to the default stream, as a program does that chooses none.
class Eager {
 public:
  static constexpr device::Stream kStream = device::Stream::Default;

  /// With `compute` false only the time of the kernels is modelled, and no value may be read.
  ///
  /// On a CPU (DeviceInfo::kind) nothing below calls CUDA, as PyTorch goes by tensor.device: .to() and .cpu() of a CPU
  /// tensor return the tensor itself, .item() is a plain read, nothing is pinned and there is nothing to wait for.
  Eager(device::Device& device, bool compute);

  device::Device& device() { return device_; }
  bool on_cpu() const { return on_cpu_; }
  /// The framework's own CPU time before each operation.
  void set_dispatch_us(double us) { dispatch_ns_ = base::from_us(us); }

  /// torch.empty(elements, device="cuda"). The memory stays the program's, as in PyTorch's caching allocator.
  Tensor tensor(std::size_t elements);
  /// torch.empty(elements, pin_memory=pinned). Pageable memory is reused too, which no API call shows.
  HostTensor host_tensor(std::size_t elements, bool pinned);
  /// What torch.empty(elements, pin_memory=True) allocates from. Host threads that still do so keep it.
  const std::shared_ptr<CachingHostAllocator>& pinned_memory() const { return pinned_; }
  std::span<float> values(const HostTensor& tensor);
  /// The last reference to a host tensor goes.
  void drop(const HostTensor& tensor);
  /// The CPU makes a batch of arbitrary values.
  void host_fill(const HostTensor& tensor) { device_.host_fill(tensor.buffer, tensor.elements * sizeof(float)); }
  /// The CPU has written the tensor through values().
  void host_wrote(const HostTensor& tensor) { device_.host_wrote(tensor.elements * sizeof(float)); }

  /// One operation of one kernel. An SgdStep on a CPU is an operation per parameter.
  void launch(const ops::Op& op, std::initializer_list<Tensor> args);
  /// to[:n].copy_(from[:n], non_blocking=...): a blocking copy is an asynchronous one and a wait for the whole stream.
  void copy_to_device(const Tensor& to, const HostTensor& from, std::size_t elements, bool non_blocking,
                      device::Stream stream = kStream);
  /// to[first:first + n].copy_(from[first:first + n], non_blocking=...)
  void copy_part_to_device(const Tensor& to, const HostTensor& from, std::size_t first, std::size_t elements,
                           bool non_blocking, device::Stream stream = kStream);
  /// to[:n].copy_(from[:n], non_blocking=...), the other way. With a fresh pageable `to` it is from.cpu().
  void copy_to_host(const HostTensor& to, const Tensor& from, std::size_t elements, bool non_blocking);
  /// tensor[index].item(): four bytes into pinned scratch, and a wait for the whole stream.
  float item(const Tensor& tensor, std::size_t index = 0);
  /// bool(tensor[index]) of a comparison's result: the same with one byte, as PyTorch's bool is.
  bool truth(const Tensor& tensor, std::size_t index = 0);
  void synchronize();                        ///< torch.cuda.synchronize()
  void synchronize(device::GpuEvent event);  ///< event.synchronize()

  /// torch.cuda.set_sync_debug_mode("warn"): each warning is a range on the lane "warnings", from where the statement
  /// begins to its first call.
  void set_sync_debug(bool warn) { sync_debug_ = warn; }
  /// The check is where PyTorch copies and waits in one: item(), bool(), blocking copies. It does not see
  /// torch.cuda.synchronize(), event.synchronize(), nor a non-blocking copy into pageable memory, which waits too.
  struct SyncCounts {
    std::uint64_t waits = 0;     ///< statements that make the CPU wait for the GPU, seen or not
    std::uint64_t warnings = 0;  ///< those that the check warned of
  };
  SyncCounts take_sync_counts() { return std::exchange(sync_counts_, {}); }

  /// The program reads a host tensor. If a copy into it has not ended yet, a range with trace::kNotArrivedFlag is left
  /// on the lane "reads", and `*arrived` is false (a real device does not know, see Device::host_read()).
  std::span<const float> read(const HostTensor& tensor, std::size_t elements, bool* arrived = nullptr);
  /// The same mark, from a program that has found a number to be wrong; it stands at the instant of now.
  void mark_stale_read();
  /// Since `start_ns` the program's thread has done nothing but load data: a range with trace::kWaitFlag on the lane
  /// "waiting", as Device::wait_for() leaves when another thread loads them.
  void mark_data_wait(base::Nanoseconds start_ns, std::string_view name);

 private:
  friend class Phase;
  void dispatch();
  void run(const ops::Op& op, std::span<const Tensor> args);
  /// .to() on a CPU: the tensor is already there. Only this program has two buffers for it, so the values go over.
  void hand_over(device::Device::Slice to, device::Device::Slice from, std::size_t count);
  void read_scalar(const Tensor& tensor, std::size_t offset, std::span<std::byte> value);
  void copy_and_wait_follow(base::Nanoseconds statement_began);
  trace::NameId phase_name(std::string_view name);

  device::Device& device_;
  const bool compute_;
  const bool on_cpu_;
  base::Nanoseconds dispatch_ns_ = 0;
  const std::shared_ptr<CachingHostAllocator> pinned_;
  std::map<std::size_t, std::vector<device::Buffer>> pageable_free_;  // by size, a power of two
  const trace::LaneId phase_lane_;
  std::vector<std::pair<std::string, trace::NameId>> phase_names_;  // few: looked up once per phase
  bool in_phase_ = false;
  std::optional<trace::LaneId> reads_lane_, warnings_lane_;  // made when first needed
  bool sync_debug_ = false;
  SyncCounts sync_counts_;
};

/// While one lives, the program is in this phase: a range on the lane "phase". Phases follow each other, they do not
/// nest.
class Phase {
 public:
  Phase(Eager& eager, std::string_view name);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Eager& eager_;
  trace::Event event_;
};

}  // namespace lanescope::workload
