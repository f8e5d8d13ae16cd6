#include "workload/eager.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/translate.h"
#include "workload/loop.h"

namespace lanescope::workload {
namespace {

/// Calls made on the program's main thread.
class MainCalls final : public device::HostThreadCalls {
 public:
  explicit MainCalls(device::Device& device) : device_(device) {}
  bool query(device::GpuEvent event) override { return device_.query(event); }
  device::Buffer allocate_pinned(std::size_t bytes) override {
    return device_.allocate(trace::MemoryKind::Pinned, bytes);
  }

 private:
  device::Device& device_;
};

}  // namespace

device::Buffer CachingHostAllocator::allocate(std::size_t bytes) {
  MainCalls calls(device_);
  return allocate(bytes, calls);
}

device::Buffer CachingHostAllocator::allocate(std::size_t bytes, device::HostThreadCalls& calls) {
  const std::size_t rounded = std::bit_ceil(bytes);
  std::unique_lock lock(mutex_);
  if (!pending_.empty()) {
    lock.unlock();
    process_events(calls);
    lock.lock();
  }
  if (std::vector<device::Buffer>& fitting = free_[rounded]; !fitting.empty()) {
    const device::Buffer block = fitting.back();
    fitting.pop_back();
    return block;
  }
  lock.unlock();
  const device::Buffer block = calls.allocate_pinned(rounded);
  lock.lock();
  blocks_[block].bytes = rounded;
  return block;
}

void CachingHostAllocator::record_stream(device::Buffer block, device::Stream stream) {
  const std::lock_guard lock(mutex_);
  std::vector<device::Stream>& streams = blocks_.at(block).streams;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

void CachingHostAllocator::free(device::Buffer buffer) {
  std::vector<device::Stream> streams;
  {
    const std::lock_guard lock(mutex_);
    Block& block = blocks_.at(buffer);
    streams.swap(block.streams);
    if (streams.empty()) {
      free_[block.bytes].push_back(buffer);
      return;
    }
    block.events_outstanding += static_cast<int>(streams.size());
  }
  for (const device::Stream stream : streams) {
    const device::GpuEvent event = take_event();
    device_.record(event, stream);
    const std::lock_guard lock(mutex_);
    pending_.push_back({event, buffer});
  }
}

// The block is removed while its event is queried, so that no other thread queries it, too.
std::optional<CachingHostAllocator::PendingFree> CachingHostAllocator::oldest_pending() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) return std::nullopt;
  const PendingFree oldest = pending_.front();
  pending_.pop_front();
  return oldest;
}

void CachingHostAllocator::process_events(device::HostThreadCalls& calls) {
  while (const std::optional<PendingFree> oldest = oldest_pending()) {
    const bool done = calls.query(oldest->event);
    const std::lock_guard lock(mutex_);
    if (!done) {
      pending_.push_front(*oldest);
      return;
    }
    idle_events_.push_back(oldest->event);
    Block& block = blocks_.at(oldest->block);
    if (--block.events_outstanding == 0) free_[block.bytes].push_back(oldest->block);
  }
}

device::GpuEvent CachingHostAllocator::take_event() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_events_.empty()) {
      const device::GpuEvent event = idle_events_.back();
      idle_events_.pop_back();
      return event;
    }
  }
  return device_.create_event();
}

// --- eager -----------------------------------------------------------------------------------------------------------

using device::FrameworkCall;

Eager::Eager(device::Device& device, bool compute)
    : device_(device),
      compute_(compute),
      on_cpu_(device.info().kind == device::DeviceKind::Cpu),
      framework_(device.info().framework),
      pinned_(std::make_shared<CachingHostAllocator>(device)),
      phase_lane_(device.sink().lane(program_lane(trace::LaneKind::Phases, "phase", trace::LaneRole::Statements))) {}

void Eager::set_dispatch_us(double us) {
  dispatch_ns_ = base::from_us(us);
  const double usual = device_.info().dispatch_us;
  framework_scale_ = usual > 0 ? us / usual : 1;
}

void Eager::spend(FrameworkCall call, double times) {
  if (!framework_.known()) return;
  const base::Nanoseconds ns = base::from_us(framework_.of(call) * times * framework_scale_);
  if (ns > 0) device_.host_work(ns);
}

void Eager::zero_grad(int parameters) {
  spend(FrameworkCall::ZeroGrad);
  spend(FrameworkCall::ZeroGradParameter, parameters);
}

void Eager::slice(int times) {
  if (framework_.known()) return spend(FrameworkCall::View, times);
  device_.host_work(times * dispatch_ns_);
}

// A statement with several kernels has its cost before the first one.
void Eager::dispatch(const ops::Op& op, std::size_t args) {
  if (!framework_.known()) return dispatch();
  switch (op.kind) {
    case ops::OpKind::LinearForward:
      return spend(FrameworkCall::Linear);
    case ops::OpKind::ReluForward:
      return spend(FrameworkCall::Relu);
    case ops::OpKind::MseForward:
      return spend(FrameworkCall::MseLoss);
    case ops::OpKind::MeanReduce:
    case ops::OpKind::SumReduce:
      return spend(in_backward_ ? FrameworkCall::Node : FrameworkCall::Reduce);
    case ops::OpKind::LogSoftmaxForward:
      return spend(FrameworkCall::CrossEntropy);
    case ops::OpKind::NllLossForward:
    case ops::OpKind::LogSoftmaxBackward:
      return;
    case ops::OpKind::NllLossBackward:
      return spend(FrameworkCall::CrossEntropyBackward);
    case ops::OpKind::MseBackward:
      return spend(FrameworkCall::MseBackward);
    case ops::OpKind::LinearWeightGrad:
    case ops::OpKind::LinearInputGrad:
    case ops::OpKind::LinearBiasGrad:
      return spend(FrameworkCall::LinearBackward);
    case ops::OpKind::SgdStep:
      return spend(FrameworkCall::StepParameter, static_cast<double>(args / 2));
    case ops::OpKind::Spin:
      return spend(FrameworkCall::Sleep);
    case ops::OpKind::Fill:
      if (in_backward_) return;  // part of another statement
      break;
    case ops::OpKind::AddInPlace:
      if (in_backward_) return spend(FrameworkCall::Accumulate);
      break;
    default:
      break;
  }
  spend(in_backward_ ? FrameworkCall::Node : FrameworkCall::Op);
}

Tensor Eager::tensor(std::size_t elements) {
  return {device_.allocate(trace::MemoryKind::Device, elements * sizeof(float)), elements};
}

HostTensor Eager::host_tensor(std::size_t elements, bool pinned) {
  const std::size_t bytes = elements * sizeof(float);
  spend(pinned && !on_cpu_ ? FrameworkCall::EmptyPinned : FrameworkCall::Empty);
  if (pinned && !on_cpu_) return {pinned_->allocate(bytes), elements, true};
  if (bytes > kMostReused) return {device_.allocate(trace::MemoryKind::Pageable, bytes), elements, false};
  const std::size_t rounded = std::bit_ceil(bytes);
  std::vector<device::Buffer>& free = pageable_free_[rounded];
  if (free.empty()) {
    const device::Buffer made = device_.allocate(trace::MemoryKind::Pageable, rounded);
    // Reused memory has its pages already, so no thread of the program should have to wait for page faults.
    if (!device_.info().virtual_time) std::ranges::fill(device_.host_data(made), std::byte{0});
    return {made, elements, false};
  }
  const device::Buffer buffer = free.back();
  free.pop_back();
  return {buffer, elements, false};
}

std::span<float> Eager::values(const HostTensor& tensor) {
  const std::span<std::byte> bytes = device_.host_data(tensor.buffer);
  return {reinterpret_cast<float*>(bytes.data()), tensor.elements};
}

void Eager::drop(const HostTensor& tensor) {
  if (tensor.pinned) {
    pinned_->free(tensor.buffer);
  } else if (tensor.elements * sizeof(float) > kMostReused) {
    device_.release(tensor.buffer);
  } else {
    pageable_free_[std::bit_ceil(tensor.elements * sizeof(float))].push_back(tensor.buffer);
  }
}

void Eager::host_fill(const HostTensor& tensor) {
  const std::size_t bytes = tensor.elements * sizeof(float);
  const base::Nanoseconds began = device_.now_ns();
  device_.host_fill(tensor.buffer, bytes);
  if (!framework_.known()) return;
  const double us = framework_.of(FrameworkCall::Random) +
                    framework_.of(FrameworkCall::RandomPerMib) * static_cast<double>(bytes) / (1 << 20);
  // The random numbers take longer than writing them, which is already done.
  const base::Nanoseconds rest = base::from_us(us * framework_scale_) - (device_.now_ns() - began);
  if (rest > 0) device_.host_work(rest);
}

inline void Eager::run(const ops::Op& op, std::span<const Tensor> args) {
  dispatch(op, args.size());
  std::array<device::Buffer, ops::kMaxArgs> buffers{};
  std::size_t count = 0;
  for (const Tensor& tensor : args) buffers.at(count++) = tensor.buffer;
  device_.launch(op, std::span(buffers).first(count), stream_, compute_);
}

void Eager::launch(device::Graph graph) {
  dispatch(FrameworkCall::Replay);
  device_.launch_graph(graph, kStream);
}

void Eager::launch(const ops::Op& op, std::initializer_list<Tensor> args) {
  const std::span<const Tensor> all(args.begin(), args.size());
  if (op.kind == ops::OpKind::SgdStep) spend(FrameworkCall::Step);
  if (op.kind == ops::OpKind::SgdStep && on_cpu_) {
    // torch.optim.SGD uses its foreach form, one kernel for all parameters, only if the tensors are on a GPU. On a CPU
    // it loops over the parameters.
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      ops::Op one = op;
      one.m = static_cast<std::int32_t>(all[i].elements);
      run(one, all.subspan(i, 2));
    }
    return;
  }
  run(op, all);
}

void Eager::copy_to_device(const Tensor& to, const HostTensor& from, std::size_t elements, bool non_blocking,
                           device::Stream stream) {
  copy_part_to_device(to, from, 0, elements, non_blocking, stream);
}

void Eager::copy_part_to_device(const Tensor& to, const HostTensor& from, std::size_t first, std::size_t elements,
                                bool non_blocking, device::Stream stream) {
  const device::Device::Slice target{to.buffer, first * sizeof(float)};
  const device::Device::Slice source{from.buffer, first * sizeof(float)};
  if (on_cpu_) return hand_over(target, source, elements);
  const base::Nanoseconds began = device_.now_ns();
  dispatch(non_blocking ? FrameworkCall::ToNonBlocking : FrameworkCall::To);
  if (!non_blocking) copy_and_wait_follow(began);
  device_.copy_async(target, source, elements * sizeof(float), stream);
  if (!non_blocking) {
    device_.synchronize(stream);
  } else if (from.pinned) {
    pinned_->record_stream(from.buffer, stream);
  }
}

void Eager::copy_on_device(const Tensor& to, const Tensor& from, std::size_t first, std::size_t elements) {
  dispatch();
  device_.copy_async({to.buffer, 0}, {from.buffer, first * sizeof(float)}, elements * sizeof(float), kStream);
}

void Eager::copy_to_host(const HostTensor& to, const Tensor& from, std::size_t elements, bool non_blocking) {
  if (on_cpu_) return hand_over({to.buffer, 0}, {from.buffer, 0}, elements);
  const base::Nanoseconds began = device_.now_ns();
  dispatch(non_blocking ? FrameworkCall::ToNonBlocking : FrameworkCall::To);
  if (!non_blocking) {
    copy_and_wait_follow(began);
  } else if (!to.pinned) {
    ++sync_counts_.waits;
  }
  device_.copy_async({to.buffer, 0}, {from.buffer, 0}, elements * sizeof(float), kStream);
  if (!non_blocking) {
    device_.synchronize(kStream);
  } else if (to.pinned) {
    pinned_->record_stream(to.buffer, kStream);
  }
}

void Eager::hand_over(device::Device::Slice to, device::Device::Slice from, std::size_t count) {
  if (compute_) device_.hand_over(to, from, count * sizeof(float));
}

void Eager::synchronize() {
  if (on_cpu_) return;
  ++sync_counts_.waits;
  spend(FrameworkCall::Synchronize);
  device_.synchronize();
}

void Eager::synchronize(device::GpuEvent event) {
  if (!on_cpu_) ++sync_counts_.waits;
  device_.synchronize(event);
}

void Eager::copy_and_wait_follow(base::Nanoseconds statement_began) {
  ++sync_counts_.waits;
  if (!sync_debug_) return;
  ++sync_counts_.warnings;
  if (!warnings_lane_) warnings_lane_ = device_.sink().lane(program_lane(trace::LaneKind::Phases, "warnings"));
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Warning);
  event.lane = *warnings_lane_;
  event.name = device_.sink().name("UserWarning: called a synchronizing CUDA operation");
  event.start_ns = statement_began;
  event.end_ns = device_.now_ns();
  device_.writer().write(event);
}

void Eager::read_scalar(const Tensor& tensor, std::size_t offset, std::span<std::byte> value) {
  const base::Nanoseconds began = device_.now_ns();
  dispatch(FrameworkCall::Item);
  if (on_cpu_) {
    std::memcpy(value.data(), device_.host_data(tensor.buffer).data() + offset, value.size());
    return;
  }
  copy_and_wait_follow(began);
  const HostTensor scratch{pinned_->allocate(sizeof(float)), 1, true};
  device_.copy_async({scratch.buffer, 0}, {tensor.buffer, offset}, value.size(), kStream);
  device_.synchronize(kStream);
  std::memcpy(value.data(), device_.host_data(scratch.buffer).data(), value.size());
  drop(scratch);
}

float Eager::item(const Tensor& tensor, std::size_t index) {
  float value = 0;
  read_scalar(tensor, index * sizeof(float), std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

// A comparison's result is a float here, 0 or 1; its most significant byte tells the two apart.
bool Eager::truth(const Tensor& tensor, std::size_t index) {
  static_assert(std::endian::native == std::endian::little);
  std::byte value{};
  read_scalar(tensor, index * sizeof(float) + sizeof(float) - 1, std::span(&value, 1));
  return value != std::byte{0};
}

std::span<const float> Eager::read(const HostTensor& tensor, std::size_t elements, bool* arrived) {
  const bool there = device_.host_read(tensor.buffer, elements * sizeof(float));
  if (!there) mark_stale_read();
  if (arrived != nullptr) *arrived = there;
  return values(tensor).first(elements);
}

void Eager::mark_stale_read() {
  if (!reads_lane_) reads_lane_ = device_.sink().lane(program_lane(trace::LaneKind::Phases, "reads"));
  trace::Event event;
  event.kind = trace::EventKind::Range;
  event.flags = trace::kNotArrivedFlag;
  event.lane = *reads_lane_;
  event.name = device_.sink().name(N_("not arrived yet"));
  event.start_ns = event.end_ns = device_.now_ns();
  device_.writer().write(event);
}

void Eager::mark_data_wait(base::Nanoseconds start_ns, std::string_view name) {
  trace::Event event;
  event.kind = trace::EventKind::Range;
  event.flags = trace::kWaitFlag;
  trace::set_range_kind(event, trace::RangeKind::Load);
  event.lane = device_.sink().lane(program_lane(trace::LaneKind::Phases, "waiting"));
  event.name = device_.sink().name(name);
  event.start_ns = start_ns;
  event.end_ns = device_.now_ns();
  device_.writer().write(event);
}

trace::NameId Eager::phase_name(std::string_view name) {
  for (const auto& [known, id] : phase_names_) {
    if (known == name) return id;
  }
  return phase_names_.emplace_back(name, device_.sink().name(name)).second;
}

Phase::Phase(Eager& eager, std::string_view name, trace::RangeKind kind) : eager_(eager) {
  if (eager.in_phase_) throw base::Error("phase '" + std::string(name) + "' begins inside another; phases do not nest");
  eager.in_phase_ = true;
  event_.kind = trace::EventKind::Range;
  trace::set_range_kind(event_, kind);
  event_.lane = eager.phase_lane_;
  event_.name = eager.phase_name(name);
  event_.start_ns = eager.device_.now_ns();
}

Phase::~Phase() {
  eager_.in_phase_ = false;
  event_.end_ns = eager_.device_.now_ns();
  eager_.device_.writer().write(event_);
}

}  // namespace lanescope::workload
