#include "device/sim/sim_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::device::sim {

using base::tr;
using trace::CopyDirection;
using trace::EventKind;
using trace::LaneKind;

DeviceInfo info_of(const DeviceProfile& profile, std::string id) {
  DeviceInfo info;
  info.id = id.empty() ? "sim:" + profile.id : std::move(id);
  info.name = profile.name;
  info.profile = profile.id;
  info.simulated = true;
  info.virtual_time = true;
  info.framework = profile.pytorch;
  info.dispatch_us = info.framework.known() ? info.framework.of(FrameworkCall::Op) : profile.cpu.dispatch_us;
  info.h2d_peak_gb_per_s = profile.link.h2d_pinned_gb_per_s;
  info.d2h_peak_gb_per_s = profile.link.d2h_pinned_gb_per_s;
  info.sm_count = static_cast<int>(profile.gpu.sm_count);
  return info;
}

namespace {

trace::EventSink& sim_sink_of(const DeviceContext& context) {
  if (context.sink == nullptr) throw base::Error(tr("a simulated device needs a sink for its events"));
  return *context.sink;
}

}  // namespace

SimDevice::SimDevice(const DeviceProfile& profile, DeviceContext context, std::string id)
    : context_(std::move(context)),
      info_(info_of(profile, std::move(id))),
      costs_(profile),
      jitter_(profile.jitter_spread, profile.jitter_gpu_spread, context_.seed),
      log_(sim_sink_of(context_)),
      writer_(context_.sink->open_writer()),
      gpu_(*writer_, memory_),
      threads_(
          profile.cpu, *context_.sink, *writer_, memory_,
          [this](HostTasks::Task& task, trace::LaneId calls, Nanoseconds now) { return prepare(task, calls, now); }) {}

SimDevice::~SimDevice() {
  gpu_.decide_all();
  const Nanoseconds end = std::max({host_ns_, gpu_.last_end(), threads_.last_call_end()});
  threads_.close(end);
  writer_->complete_until(end);
}

// --- the clock and the record --------------------------------------------------------------------------------------

void SimDevice::end_tasks(Nanoseconds t) {
  // Bytes move in the order in which GPU operations and host-thread tasks end.
  for (Nanoseconds end = threads_.next_end(); end <= t; end = threads_.next_end()) {
    gpu_.settle(end);
    threads_.advance_to(end);
  }
}

void SimDevice::report() {
  // Neither undecided nor future operations can start before the host's clock.
  reported_until_ns_ = host_ns_;
  writer_->complete_until(host_ns_);
  if (paced_) return context_.advanced(host_ns_);
  constexpr Nanoseconds kReaderStep = 200 * base::kMicrosecond;
  if (context_.recorded && host_ns_ - waited_for_reader_ns_ >= kReaderStep) {
    waited_for_reader_ns_ = host_ns_;
    context_.recorded();
  }
}

void SimDevice::host_work(Nanoseconds ns) {
  if (ns < 0) throw base::Error(tr("host_work: {} ns is not allowed; at least 0", ns));
  advance_to(host_ns_ + ns);
  progress(false);
}

void SimDevice::host_wrote(std::size_t bytes) { host_work(costs_.host_copy(bytes)); }

HostTask SimDevice::submit(HostThread thread, const HostWork& work, HostTask after) {
  return threads_.submit(thread, work, after, host_ns_);
}

void SimDevice::wait_for(HostTask task, std::string_view what) {
  threads_.wait_for(
      task, what, host_ns_, [this](Nanoseconds t) { advance_to(t); }, [this] { progress(true); });
}

SimDevice::Call SimDevice::begin(CudaCall api, Nanoseconds own_cost) {
  if (capturing_) forbid_in_capture(api);
  const Call call{host_ns_, next_correlation_, api};
  if (++next_correlation_ == 0) next_correlation_ = 1;
  advance_to(host_ns_ + jitter_.apply(own_cost));
  own_end_ns_ = host_ns_;
  return call;
}

trace::Event SimDevice::call_event(const Call& call, std::uint8_t flags) {
  trace::Event event;
  event.start_ns = call.start_ns;
  event.end_ns = host_ns_;
  event.name = log_.name(call.api);
  event.correlation = call.correlation;
  event.lane = log_.calls_lane();
  event.kind = EventKind::Call;
  event.flags = flags;
  return event;
}

void SimDevice::end(const Call& call, std::uint8_t flags) {
  gpu_.settle(host_ns_);
  writer_->write(call_event(call, flags));
  progress(false);
}

void SimDevice::end_blocking(const Call& call, const trace::CallParts& parts, std::uint8_t flags) {
  advance_to(call.start_ns + parts.own + parts.waiting + parts.copying + parts.returning);
  trace::Event event = call_event(call, flags);
  trace::set_parts(event, parts);
  writer_->write(event);
  progress(true);
}

void SimDevice::end_launch(const Call& call, Nanoseconds waited) {
  if (waited == 0) return end(call, trace::kLaunchFlag);
  end_blocking(call, {own_of(call), waited, 0, 0}, trace::kLaunchFlag);
}

// --- waiting -------------------------------------------------------------------------------------------------------

std::uint32_t SimDevice::index_of(Stream stream, CudaCall api) const {
  const auto index = static_cast<std::uint32_t>(stream);
  if (index >= gpu_.stream_count()) {
    throw base::Error(tr("{}: stream {} was never created", call_name(api), index));
  }
  return index;
}

SimDevice::SimEvent& SimDevice::event_of(GpuEvent event, CudaCall api) {
  const auto number = static_cast<std::uint32_t>(event);
  if (number == 0 || number > events_.size()) {
    throw base::Error(tr("{}: event {} was never created", call_name(api), number));
  }
  return events_[number - 1];
}

Nanoseconds SimDevice::wait_until_there_is_room(std::uint32_t stream) {
  const Nanoseconds from = host_ns_;
  while (gpu_.outstanding(stream) >= costs_.queue_depth) {
    advance_to(gpu_.decide(gpu_.oldest_operation(stream)).event.end_ns);
  }
  return host_ns_ - from;
}

void SimDevice::consider(Awaited& awaited, Position position) {
  const Entry& entry = gpu_.decide(position);
  if (awaited.pending && entry.event.end_ns <= awaited.end_ns) return;
  awaited = {true, entry.event.end_ns, entry.copy_start_ns};
}

SimDevice::Awaited SimDevice::await_stream(std::uint32_t stream) {
  Awaited awaited;
  Position tail;
  if (gpu_.tail(stream, tail)) consider(awaited, tail);
  for (std::uint32_t other = 1; stream == 0 && other < gpu_.stream_count(); ++other) {
    if (gpu_.is_blocking(other) && gpu_.tail(other, tail)) consider(awaited, tail);
  }
  return awaited;
}

SimDevice::Awaited SimDevice::await_device() {
  Awaited awaited;
  Position tail;
  for (std::uint32_t stream = 0; stream < gpu_.stream_count(); ++stream) {
    if (gpu_.tail(stream, tail)) consider(awaited, tail);
  }
  return awaited;
}

void SimDevice::end_synchronize(const Call& call, const Awaited& awaited) {
  trace::CallParts parts;
  parts.own = own_of(call);
  if (awaited.pending) {
    parts.copying = awaited.end_ns - std::max(awaited.copy_start_ns, own_end_ns_);
    parts.waiting = awaited.end_ns - own_end_ns_ - parts.copying;
    parts.returning = jitter_.apply(costs_.wake);
  } else {
    parts.returning = jitter_.apply(costs_.idle_return);
  }
  end_blocking(call, parts, trace::kSyncFlag);
}

void SimDevice::synchronize(GpuEvent event) {
  const Position position = event_of(event, CudaCall::EventSynchronize).stamp.position;
  const Call call = begin(CudaCall::EventSynchronize, costs_.sync);
  Awaited awaited;
  if (position.stream != Position::kNoStream && !gpu_.finished(position)) consider(awaited, position);
  end_synchronize(call, awaited);
}

void SimDevice::synchronize(Stream stream) {
  const std::uint32_t index = index_of(stream, CudaCall::StreamSynchronize);
  const Call call = begin(CudaCall::StreamSynchronize, costs_.sync);
  end_synchronize(call, await_stream(index));
}

void SimDevice::synchronize() {
  const Call call = begin(CudaCall::DeviceSynchronize, costs_.sync);
  end_synchronize(call, await_device());
}

// --- memory --------------------------------------------------------------------------------------------------------

Buffer SimDevice::allocate(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::Unknown) throw base::Error(tr("allocate: the kind of memory is unknown"));
  if (bytes == 0) throw base::Error(tr("allocate: a buffer of 0 bytes is not allowed"));
  const Buffer buffer = memory_.allocate(kind, bytes);
  if (kind == MemoryKind::Device) {
    end(begin(CudaCall::Malloc, costs_.malloc), 0);
  } else if (kind == MemoryKind::Pinned) {
    end(begin(CudaCall::HostAlloc, costs_.host_alloc(bytes)), 0);
  }
  return buffer;
}

void SimDevice::release(Buffer buffer) {
  const MemoryKind kind = memory_.kind_of(buffer, "release");
  threads_.check_release(buffer);
  if (kind != MemoryKind::Pageable) {
    // Both free functions synchronise the device before releasing memory.
    const bool device = kind == MemoryKind::Device;
    const Call call = device ? begin(CudaCall::Free, costs_.free)
                             : begin(CudaCall::FreeHost, costs_.host_free(memory_.size_of(buffer, "release")));
    const Awaited awaited = await_device();
    trace::CallParts parts;
    parts.own = own_of(call);
    if (awaited.pending) {
      parts.waiting = awaited.end_ns - own_end_ns_;
      parts.returning = jitter_.apply(costs_.wake);
    }
    end_blocking(call, parts, 0);
  }
  memory_.release(buffer);
}

std::span<std::byte> SimDevice::host_data(Buffer buffer) { return memory_.host_data(buffer); }

void SimDevice::host_fill(Buffer buffer, std::size_t bytes) {
  if (memory_.check({buffer}, bytes, "host_fill") == MemoryKind::Device) {
    throw base::Error(tr("host_fill: the buffer is on the device; allowed: pageable, pinned"));
  }
  const Buffer filled[] = {buffer};
  memory_.mark_timing_only(filled);
  const std::size_t fresh = memory_.touch({buffer}, bytes);
  host_work(costs_.host_write(bytes) + costs_.page_faults(fresh));
}

void SimDevice::keep_host_write(Position position, const Slice& to, std::size_t bytes) {
  constexpr std::size_t kMany = 64;
  if (host_writes_.size() >= kMany) {
    std::erase_if(host_writes_, [&](const HostWrite& write) { return gpu_.finished(write.position); });
  }
  host_writes_.push_back({position, to, bytes});
}

bool SimDevice::host_read(Buffer buffer, std::size_t bytes) {
  if (memory_.check({buffer}, bytes, "host_read") == MemoryKind::Device) {
    throw base::Error(tr("host_read: the buffer is on the device; allowed: pageable, pinned"));
  }
  std::erase_if(host_writes_, [&](const HostWrite& write) { return gpu_.finished(write.position); });
  const bool written = std::any_of(host_writes_.begin(), host_writes_.end(), [&](const HostWrite& write) {
    return write.to.buffer == buffer && write.to.offset < bytes;
  });
  return !written && !(bytes > 0 && threads_.writes(buffer));
}

// --- streams and events --------------------------------------------------------------------------------------------

Stream SimDevice::create_stream(bool non_blocking) {
  end(begin(CudaCall::StreamCreate, costs_.stream_create), 0);
  return static_cast<Stream>(gpu_.add_stream(!non_blocking));
}

GpuEvent SimDevice::new_event(bool timing) {
  end(begin(CudaCall::EventCreate, costs_.event_create), 0);
  events_.emplace_back().timing = timing;
  return static_cast<GpuEvent>(events_.size());
}

void SimDevice::record(GpuEvent event, Stream stream) {
  SimEvent& recorded = event_of(event, CudaCall::EventRecord);
  const std::uint32_t index = index_of(stream, CudaCall::EventRecord);
  const Call call = begin(CudaCall::EventRecord, costs_.event_record);
  EventStamp* const stamp = recorded.timing ? &recorded.stamp : nullptr;
  recorded.stamp.position = gpu_.push_marker(index, host_ns_ + costs_.launch_latency, {}, stamp);
  end(call, 0);
}

void SimDevice::wait(Stream stream, GpuEvent event) {
  const Position position = event_of(event, CudaCall::StreamWaitEvent).stamp.position;
  const std::uint32_t index = index_of(stream, CudaCall::StreamWaitEvent);
  const Call call = begin(CudaCall::StreamWaitEvent, costs_.stream_wait);
  // Also for a completed event: in the default stream, other streams wait for the wait itself.
  if (position.stream != Position::kNoStream) {
    gpu_.push_marker(index, host_ns_ + costs_.launch_latency, position);
  }
  end(call, 0);
}

bool SimDevice::happened(const SimEvent& event) const {
  return event.stamp.position.stream == Position::kNoStream || gpu_.finished(event.stamp.position);
}

bool SimDevice::query(GpuEvent event) {
  const SimEvent& asked = event_of(event, CudaCall::EventQuery);
  const Call call = begin(CudaCall::EventQuery, costs_.event_query);
  const bool done = happened(asked);
  end(call, 0);
  return done;
}

const EventStamp& SimDevice::stamp_of(GpuEvent event) {
  const SimEvent& timed = event_of(event, CudaCall::EventElapsedTime);
  const std::string_view call = call_name(CudaCall::EventElapsedTime);
  const auto number = static_cast<std::uint32_t>(event);
  if (!timed.timing) throw base::Error(tr("{}: event {} was made without timing", call, number));
  if (timed.stamp.position.stream == Position::kNoStream) {
    throw base::Error(tr("{}: event {} was never recorded", call, number));
  }
  return timed.stamp;
}

std::optional<Nanoseconds> SimDevice::elapsed(GpuEvent start, GpuEvent end_event) {
  const EventStamp& from = stamp_of(start);
  const EventStamp& to = stamp_of(end_event);
  const Call call = begin(CudaCall::EventElapsedTime, costs_.event_query);
  const bool done = gpu_.finished(from.position) && gpu_.finished(to.position);
  end(call, 0);
  return done ? std::optional(to.at_ns - from.at_ns) : std::nullopt;
}

// --- the calls of a host thread ------------------------------------------------------------------------------------

class SimDevice::ThreadCalls final : public HostThreadCalls {
 public:
  ThreadCalls(SimDevice& device, trace::LaneId lane, Nanoseconds now) : device_(device), lane_(lane), now_(now) {}

  bool query(GpuEvent event) override {
    const bool done = device_.happened(device_.event_of(event, CudaCall::EventQuery));
    called(CudaCall::EventQuery, device_.costs_.event_query);
    return done;
  }
  Buffer allocate_pinned(std::size_t bytes) override {
    if (bytes == 0) throw base::Error(tr("allocate: a buffer of 0 bytes is not allowed"));
    called(CudaCall::HostAlloc, device_.costs_.host_alloc(bytes));
    return device_.memory_.allocate(MemoryKind::Pinned, bytes);
  }
  Nanoseconds now() const { return now_; }

 private:
  // The end is known, whatever the program does meanwhile, so the call is written at its start, like a kernel.
  void called(CudaCall api, Nanoseconds own_cost) {
    trace::Event event;
    event.start_ns = now_;
    event.end_ns = now_ += device_.jitter_.apply(own_cost);
    event.name = device_.log_.name(api);
    event.correlation = device_.next_correlation_;
    if (++device_.next_correlation_ == 0) device_.next_correlation_ = 1;
    event.lane = lane_;
    event.kind = EventKind::Call;
    device_.writer_->write(event);
  }

  SimDevice& device_;
  const trace::LaneId lane_;
  Nanoseconds now_;
};

Nanoseconds SimDevice::prepare(HostTasks::Task& task, trace::LaneId calls, Nanoseconds now) {
  ThreadCalls thread(*this, calls, now);
  task.to = task.destination->find(thread);
  return thread.now();
}

// --- kernels and memsets -------------------------------------------------------------------------------------------

Entry SimDevice::operation(const Call& call, Engine engine, EventKind kind, trace::NameId name, trace::LaneId lane,
                           Nanoseconds latency, Nanoseconds duration) const {
  Entry entry;
  entry.event.name = name;
  entry.event.correlation = call.correlation;
  entry.event.lane = lane;
  entry.event.kind = kind;
  entry.engine = engine;
  entry.arrival_ns = host_ns_ + latency;
  entry.duration_ns = duration;
  return entry;
}

void SimDevice::check_launch(const ops::Op& op, std::span<const Buffer> args, Stream stream) const {
  index_of(stream, CudaCall::LaunchKernel);
  memory_.check_arguments(args, call_name(CudaCall::LaunchKernel));
  if (op.m < 1 || op.n < 1 || op.k < 1) {
    throw base::Error(tr("{}: shape m={} n={} k={} is not allowed; each is at least 1",
                         call_name(CudaCall::LaunchKernel), op.m, op.n, op.k));
  }
}

namespace {

/// The kernel's work on its arguments.
Work work_of(const ops::Op& op, std::span<const Buffer> args) {
  Work work;
  work.op = op;
  work.arg_count = static_cast<std::uint8_t>(args.size());
  std::copy(args.begin(), args.end(), work.args.begin());
  return work;
}

}  // namespace

void SimDevice::launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool compute) {
  KnownLaunch& known = known_launches_[KnownLaunch::place(op, args)];
  const bool is_known = !compute && known.memory == memory_.version() && known.is(op, args, stream);
  if (!is_known) check_launch(op, args, stream);
  const auto index = static_cast<std::uint32_t>(stream);
  const trace::NameId name = is_known ? known.name : log_.name(op.kind);
  const Call call = begin(CudaCall::LaunchKernel, costs_.launch);
  if (capturing_) {
    Node& node = capture(call, index);
    node.work = work_of(op, args);
    node.event.kind = EventKind::Kernel;
    node.event.name = name;
    node.cost = costs_.kernel(op);
    node.compute = compute;
    return end(call, 0);
  }
  const Nanoseconds waited = wait_for_room(index);
  Entry& entry = gpu_.add(index, Engine::Compute, host_ns_ + costs_.launch_latency);
  entry.event.name = name;
  entry.event.correlation = call.correlation;
  entry.event.lane = is_known ? known.lane : log_.lane(index, LaneKind::Kernels);
  entry.event.kind = EventKind::Kernel;
  entry.duration_ns = jitter_.apply_to_gpu(is_known ? known.cost : costs_.kernel(op));
  if (compute && memory_.have_values(args)) {
    gpu_.set_work(index, work_of(op, args));
  } else if (!is_known) {
    memory_.mark_timing_only(args);
    known = {op, stream, args.size(), {}, costs_.kernel(op), name, entry.event.lane, memory_.version()};
    std::copy(args.begin(), args.end(), known.args.begin());
  }
  end_launch(call, waited);
}

namespace {

void set_memset(trace::Event& event, std::size_t bytes) {
  trace::set_bytes(event, bytes);
  trace::set_copy_traits(event, {CopyDirection::Other, MemoryKind::Unknown, MemoryKind::Device, true});
}

}  // namespace

void SimDevice::fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) {
  const std::uint32_t index = index_of(stream, CudaCall::MemsetAsync);
  if (memory_.check(to, bytes, call_name(CudaCall::MemsetAsync)) != MemoryKind::Device) {
    throw base::Error(tr("{}: the buffer is host memory; allowed: device memory", call_name(CudaCall::MemsetAsync)));
  }
  const Call call = begin(CudaCall::MemsetAsync, costs_.memset);
  if (bytes == 0) return end(call, 0);
  Work work;
  work.kind = Work::Kind::Fill;
  work.value = value;
  work.to = to;
  work.bytes = bytes;
  if (capturing_) {
    Node& node = capture(call, index);
    node.work = work;
    node.event.kind = EventKind::Memset;
    node.event.name = log_.memset_name();
    set_memset(node.event, bytes);
    node.cost = costs_.memset_on_device(bytes);
    node.compute = true;
    return end(call, 0);
  }
  const Nanoseconds waited = wait_for_room(index);
  Entry entry =
      operation(call, Engine::Compute, EventKind::Memset, log_.memset_name(), log_.lane(index, LaneKind::Kernels),
                costs_.launch_latency, jitter_.apply_to_gpu(costs_.memset_on_device(bytes)));
  set_memset(entry.event, bytes);
  entry.has_work = memory_.has_values(to.buffer);
  gpu_.push(index, entry, &work);
  end_launch(call, waited);
}

}  // namespace lanescope::device::sim
