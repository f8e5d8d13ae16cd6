#include "device/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "base/platform/system.h"
#include "base/translate.h"
#include "device/cuda/api.h"
#include "device/cuda/find_backend.h"

namespace lanescope::device::cuda {

using base::tr;

namespace {

// A writer reports its progress at least this often: the live edge is the earliest of all writers' progress.
constexpr Nanoseconds kCudaReportEvery = base::kMillisecond;

trace::EventSink& cuda_sink_of(const DeviceContext& context) {
  if (context.sink == nullptr) throw base::Error(tr("a GPU needs a sink for its events"));
  return *context.sink;
}

bool runs(const trace::CaptureHealth& health) {
  return health.state == trace::CaptureState::Running || health.state == trace::CaptureState::Degraded;
}

}  // namespace

DeviceInfo info_of(const GpuInfo& gpu) {
  DeviceInfo info;
  info.id = gpu_id(gpu.index);
  info.name = gpu.name;
  info.sm_count = gpu.sm_count;
  if (gpu.driver_version > 0) {
    info.driver = tr("driver for CUDA {}.{}", gpu.driver_version / 1000, gpu.driver_version % 1000 / 10);
  }
  return info;
}

std::int64_t monotonic_ns() {
  // Which is CLOCK_MONOTONIC on Linux, as the capture expects.
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

CudaDevice::CudaDevice(std::unique_ptr<Api> api, std::unique_ptr<Capture> capture, const GpuInfo& gpu,
                       DeviceContext context, std::int64_t origin_ns)
    : context_(std::move(context)),
      info_(info_of(gpu)),
      gpu_(gpu),
      origin_ns_(origin_ns),
      api_(std::move(api)),
      capture_(std::move(capture)),
      writer_(cuda_sink_of(context_).open_writer()),
      allocator_([this](void** out,
                        std::size_t bytes) { return make(Call::Malloc, [&] { return api_->malloc(out, bytes); }); },
                 [this](void* data) { return make(Call::Free, [&] { return api_->free(data); }); }),
      streams_(1),
      random_(context_.seed) {
  add_costs(info_, context_);
  if (!runs(capture_health())) log_.emplace(*context_.sink);
  begin();
  threads_ = std::make_unique<RealHostThreads>(*this, [this](trace::EventWriter& writer, const trace::LaneInfo& lane) {
    return std::make_unique<ThreadCalls>(*this, writer, lane);
  });
}

CudaDevice::~CudaDevice() {
  threads_.reset();
  capture_.reset();  // before tear-down, which is not part of the run
  log_.reset();
  tear_down();
}

// Errors are ignored: either the GPU works and so do these calls, or it is lost.
void CudaDevice::tear_down() {
  buffers_.for_each([](Buffers::Slot& slot) {
    if (slot.kind == MemoryKind::Pageable) free_pageable(slot.data, slot.bytes);
  });
  if (lost_.empty()) {
    Status status = api_->use();
    current_on_ = std::this_thread::get_id();
    if (status == kSuccess) status = api_->device_synchronize();
    // Catches errors that occurred after the run's last check.
    if (is_sticky(status)) lost_gpus().add(gpu_.index);
  }
  if (lost_gpus().contains(gpu_.index)) {
    api_->reset();  // whether this was enough shows when the next device is created
    return;
  }
  if (!lost_.empty())
    return;  // A newer device has reset the GPU and may be in use; the reset has freed everything
             // this one held.
  buffers_.for_each([this](Buffers::Slot& slot) {
    if (slot.kind == MemoryKind::Pinned) api_->free_host(slot.data);
  });
  allocator_.release_all();
  for (const GraphExecHandle graph : graphs_) {
    if (graph != nullptr) api_->graph_exec_destroy(graph);
  }
  for (const EventHandle event : events_) api_->event_destroy(event);
  if (order_event_ != nullptr) api_->event_destroy(order_event_);
  for (const StreamState& stream : streams_) {
    if (stream.handle != nullptr) api_->stream_destroy(stream.handle);
  }
}

// --- the clock and the record --------------------------------------------------------------------------------------

void CudaDevice::progress(Nanoseconds now, bool always) {
  if (!always && now - reported_until_ns_ < kCudaReportEvery) return;
  reported_until_ns_ = now;
  writer_->complete_until(now);
}

void CudaDevice::host_work(Nanoseconds ns) {
  if (ns < 0) throw base::Error(tr("host_work: {} ns is not allowed; at least 0", ns));
  // Sleeping overshoots by tens of microseconds, and these delays are a few.
  Nanoseconds now = now_ns();
  const Nanoseconds until = now + ns;
  while (now < until) now = now_ns();
  progress(now, false);
}

trace::CaptureHealth CudaDevice::capture_health() const {
  if (capture_ != nullptr) return capture_->health();
  trace::CaptureHealth health;
  health.state = trace::CaptureState::Off;
  return health;
}

std::vector<trace::OpenCall> CudaDevice::open_calls() const {
  return capture_ != nullptr ? capture_->open_calls() : std::vector<trace::OpenCall>();
}

void CudaDevice::flush_capture() {
  if (capture_ != nullptr) capture_->flush();
}

// --- calls and their errors ----------------------------------------------------------------------------------------

void CudaDevice::begin() {
  if (!lost_.empty()) throw DeviceLost(lost_);
  const std::thread::id here = std::this_thread::get_id();
  if (here == current_on_) return;
  if (const Status status = api_->use(); status != kSuccess) fail("cudaSetDevice", status);
  current_on_ = here;
  if (capture_ != nullptr) capture_->set_main_thread(base::thread_number());
}

void CudaDevice::write_call(Call call, Nanoseconds start_ns, Nanoseconds end_ns) {
  trace::Event event;
  event.start_ns = start_ns;
  event.end_ns = end_ns;
  event.name = log_->name(call);
  event.lane = log_->calls_lane();
  event.kind = trace::EventKind::Call;
  event.flags = flags_of(call);
  writer_->write(event);
}

template <typename Function>
Status CudaDevice::make(Call call, Function function) {
  begin();
  Nanoseconds start = 0;
  if (log_) start = now_ns();
  const Status status = function();
  const Nanoseconds end = now_ns();
  if (log_) write_call(call, start, end);
  progress(end, (flags_of(call) & trace::kSyncFlag) != 0);
  return status;
}

template <typename Function>
void CudaDevice::must(Call call, Function function) {
  if (const Status status = make(call, function); status != kSuccess) fail(call_name(call), status);
}

std::string CudaDevice::message(std::string_view call, Status status) const {
  return tr("{} failed: {} ({}): {}", call, api_->error_name(status), status, api_->error_text(status));
}

void CudaDevice::fail(std::string_view call, Status status) {
  progress(now_ns(), true);
  std::string what = message(call, status);
  if (!is_sticky(status)) {
    api_->take_last_error();
    throw base::Error(what);
  }
  lose(std::move(what));
}

void CudaDevice::lose(std::string why) {
  lost_ = std::move(why) + tr("; the device is lost until it is restarted");
  lost_gpus().add(gpu_.index);
  throw DeviceLost(lost_);
}

// --- the calls of a host thread ------------------------------------------------------------------------------------

class CudaDevice::ThreadCalls final : public HostThreadCalls {
 public:
  ThreadCalls(CudaDevice& device, trace::EventWriter& writer, const trace::LaneInfo& lane)
      : device_(device), writer_(writer) {
    if (device_.log_) lane_ = device_.sink().lane(lane);
  }

  bool query(GpuEvent event) override {
    const EventHandle handle = device_.event_of(event, Call::EventQuery);
    const Status status = make(Call::EventQuery, [&] { return device_.api_->event_query(handle); });
    if (status == kNotReady) {
      device_.api_->take_last_error();
      return false;
    }
    if (status != kSuccess) fail(Call::EventQuery, status);
    return true;
  }
  Buffer allocate_pinned(std::size_t bytes) override {
    void* data = nullptr;
    const Status status = make(Call::HostAlloc, [&] { return device_.api_->host_alloc(&data, bytes); });
    if (status != kSuccess) fail(Call::HostAlloc, status);
    std::memset(data, 0, bytes);
    return device_.buffers_.add(MemoryKind::Pinned, static_cast<std::byte*>(data), bytes);
  }

 private:
  /// Makes the GPU current for the thread before its first call.
  template <typename Function>
  Status make(Call call, Function function) {
    if (!current_) {
      if (const Status status = device_.api_->use(); status != kSuccess) return status;
      current_ = true;
    }
    const Nanoseconds start = device_.now_ns();
    const Status status = function();
    if (!device_.log_) return status;
    trace::Event event;
    event.start_ns = start;
    event.end_ns = device_.now_ns();
    event.name = device_.log_->name(call);
    event.lane = lane_;
    event.kind = trace::EventKind::Call;
    writer_.write(event);
    return status;
  }
  /// The program's thread gets the error when it waits for the task.
  [[noreturn]] void fail(Call call, Status status) {
    const std::string what = device_.message(call_name(call), status);
    if (is_sticky(status)) throw DeviceLost(what);
    device_.api_->take_last_error();
    throw base::Error(what);
  }

  CudaDevice& device_;
  trace::EventWriter& writer_;
  trace::LaneId lane_ = 0;
  bool current_ = false;
};

void CudaDevice::wait_for(HostTask task, std::string_view what) {
  if (!lost_.empty()) return threads_->wait_for(task, what);
  try {
    threads_->wait_for(task, what);
  } catch (const DeviceLost& lost) {
    lose(lost.what());
  }
}

const CudaDevice::StreamState& CudaDevice::stream_of(Stream stream, Call call) const {
  const auto index = static_cast<std::uint32_t>(stream);
  if (index >= streams_.size()) {
    throw base::Error(tr("{}: stream {} was never created", call_name(call), index));
  }
  return streams_[index];
}

EventHandle CudaDevice::event_of(GpuEvent event, Call call) const {
  const auto number = static_cast<std::uint32_t>(event);
  const std::lock_guard lock(events_mutex_);
  if (number == 0 || number > events_.size()) {
    throw base::Error(tr("{}: event {} was never created", call_name(call), number));
  }
  return events_[number - 1];
}

// --- memory --------------------------------------------------------------------------------------------------------

std::byte* CudaDevice::new_device_memory(std::size_t bytes) {
  const CachingDeviceAllocator::Allocation allocation = allocator_.allocate(bytes);
  if (allocation.data == nullptr && allocation.status == kOutOfMemory) {
    api_->take_last_error();
    throw base::Error(
        tr("{}: {} requested, {} in use, {} kept for reuse, the GPU has {}",
           message(call_name(Call::Malloc), allocation.status), base::format_bytes(static_cast<std::int64_t>(bytes)),
           base::format_bytes(static_cast<std::int64_t>(allocator_.allocated_bytes())),
           base::format_bytes(static_cast<std::int64_t>(allocator_.reserved_bytes() - allocator_.allocated_bytes())),
           base::format_bytes(static_cast<std::int64_t>(gpu_.memory_bytes))));
  }
  if (allocation.data == nullptr) fail(call_name(Call::Malloc), allocation.status);
  return static_cast<std::byte*>(allocation.data);
}

std::byte* CudaDevice::new_pinned_memory(std::size_t bytes) {
  void* data = nullptr;
  must(Call::HostAlloc, [&] { return api_->host_alloc(&data, bytes); });
  std::memset(data, 0, bytes);
  return static_cast<std::byte*>(data);
}

Buffer CudaDevice::allocate(MemoryKind kind, std::size_t bytes) {
  if (kind == MemoryKind::Unknown) throw base::Error(tr("allocate: the kind of memory is unknown"));
  if (bytes == 0) throw base::Error(tr("allocate: a buffer of 0 bytes is not allowed"));
  begin();
  if (kind == MemoryKind::Pinned) return buffers_.add(kind, new_pinned_memory(bytes), bytes);
  if (kind == MemoryKind::Pageable) {
    std::byte* data = new_pageable(bytes);
    if (data == nullptr) {
      throw base::Error(tr("not enough host memory for a buffer of {} bytes", bytes));
    }
    return buffers_.add(kind, data, bytes);
  }
  std::byte* data = new_device_memory(bytes);
  const Buffer buffer = buffers_.add(kind, data, bytes);
  buffers_.at(buffer, "allocate").zeroed = ++zeroed_;
  must(Call::MemsetAsync, [&] { return api_->memset_async(data, 0, bytes, nullptr); });
  return buffer;
}

void CudaDevice::release(Buffer buffer) {
  Buffers::Slot& slot = buffers_.at(buffer, "release");
  threads_->check_release(buffer);
  begin();
  switch (slot.kind) {
    case MemoryKind::Device:
      order_reuse(slot);
      allocator_.free(slot.data);
      break;
    case MemoryKind::Pinned:
      must(Call::FreeHost, [&] { return api_->free_host(slot.data); });
      break;
    case MemoryKind::Pageable:
    case MemoryKind::Unknown:
      free_pageable(slot.data, slot.bytes);
      break;
  }
  buffers_.remove(buffer);
}

std::span<std::byte> CudaDevice::host_data(Buffer buffer) {
  const Buffers::Slot& slot = buffers_.at(buffer, "host_data");
  if (slot.kind == MemoryKind::Device) {
    throw base::Error(tr("host_data: the buffer is on the device; allowed: pageable, pinned"));
  }
  return {slot.data, slot.bytes};
}

void CudaDevice::host_fill(Buffer buffer, std::size_t bytes) {
  const Buffers::Slot& slot = buffers_.check({buffer, 0}, bytes, "host_fill");
  if (slot.kind == MemoryKind::Device) {
    throw base::Error(tr("host_fill: the buffer is on the device; allowed: pageable, pinned"));
  }
  random_.fill({reinterpret_cast<float*>(slot.data), bytes / sizeof(float)});
  progress(now_ns(), false);
}

// --- order between streams -----------------------------------------------------------------------------------------

void CudaDevice::order(StreamHandle before, StreamHandle after) {
  if (order_event_ == nullptr) must(Call::EventCreate, [&] { return api_->event_create(&order_event_, false); });
  must(Call::EventRecord, [&] { return api_->event_record(order_event_, before); });
  must(Call::StreamWaitEvent, [&] { return api_->stream_wait_event(after, order_event_); });
}

void CudaDevice::order_use(Buffers::Slot& slot, Stream stream) {
  const auto index = static_cast<std::uint32_t>(stream);
  if (slot.kind != MemoryKind::Device || !streams_[index].non_blocking) return;
  if (streams_[index].ordered_after < slot.zeroed) {
    order(nullptr, streams_[index].handle);
    streams_[index].ordered_after = zeroed_;
  }
  if (std::find(slot.side_streams.begin(), slot.side_streams.end(), index) == slot.side_streams.end()) {
    slot.side_streams.push_back(index);
  }
}

void CudaDevice::order_reuse(Buffers::Slot& slot) {
  for (const std::uint32_t index : slot.side_streams) order(streams_[index].handle, nullptr);
  slot.side_streams.clear();
}

// --- streams and events --------------------------------------------------------------------------------------------

Stream CudaDevice::create_stream(bool non_blocking) {
  StreamState stream;
  stream.non_blocking = non_blocking;
  must(Call::StreamCreate, [&] { return api_->stream_create(&stream.handle, non_blocking); });
  streams_.push_back(stream);
  return static_cast<Stream>(streams_.size() - 1);
}

GpuEvent CudaDevice::new_event(bool timing) {
  EventHandle event = nullptr;
  must(Call::EventCreate, [&] { return api_->event_create(&event, timing); });
  const std::lock_guard lock(events_mutex_);
  events_.push_back(event);
  return static_cast<GpuEvent>(events_.size());
}

void CudaDevice::record(GpuEvent event, Stream stream) {
  const EventHandle handle = event_of(event, Call::EventRecord);
  const StreamState& on = stream_of(stream, Call::EventRecord);
  must(Call::EventRecord, [&] { return api_->event_record(handle, on.handle); });
}

void CudaDevice::wait(Stream stream, GpuEvent event) {
  const EventHandle handle = event_of(event, Call::StreamWaitEvent);
  const StreamState& waiting = stream_of(stream, Call::StreamWaitEvent);
  must(Call::StreamWaitEvent, [&] { return api_->stream_wait_event(waiting.handle, handle); });
}

bool CudaDevice::query(GpuEvent event) {
  const EventHandle handle = event_of(event, Call::EventQuery);
  const Status status = make(Call::EventQuery, [&] { return api_->event_query(handle); });
  if (status == kNotReady) {
    api_->take_last_error();  // in case the runtime stores it like an error; CUDA 13 does not
    return false;
  }
  if (status != kSuccess) fail(call_name(Call::EventQuery), status);
  return true;
}

std::optional<Nanoseconds> CudaDevice::elapsed(GpuEvent start, GpuEvent end) {
  const EventHandle from = event_of(start, Call::EventElapsedTime);
  const EventHandle to = event_of(end, Call::EventElapsedTime);
  float ms = 0;
  const Status status = make(Call::EventElapsedTime, [&] { return api_->event_elapsed(&ms, from, to); });
  if (status == kNotReady) {
    api_->take_last_error();  // in case the runtime stores it like an error; CUDA 13 does not
    return std::nullopt;
  }
  if (status != kSuccess) fail(call_name(Call::EventElapsedTime), status);
  return static_cast<Nanoseconds>(static_cast<double>(ms) * 1e6 + 0.5);
}

void CudaDevice::synchronize(GpuEvent event) {
  const EventHandle handle = event_of(event, Call::EventSynchronize);
  must(Call::EventSynchronize, [&] { return api_->event_synchronize(handle); });
}

void CudaDevice::synchronize(Stream stream) {
  const StreamState& awaited = stream_of(stream, Call::StreamSynchronize);
  must(Call::StreamSynchronize, [&] { return api_->stream_synchronize(awaited.handle); });
}

void CudaDevice::synchronize() {
  must(Call::DeviceSynchronize, [&] { return api_->device_synchronize(); });
}

// --- work ----------------------------------------------------------------------------------------------------------

void CudaDevice::copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) {
  const StreamHandle on = stream_of(stream, Call::MemcpyAsync).handle;
  Buffers::Slot& target = buffers_.check(to, bytes, call_name(Call::MemcpyAsync));
  Buffers::Slot& source = buffers_.check(from, bytes, call_name(Call::MemcpyAsync));
  begin();
  order_use(target, stream);
  order_use(source, stream);
  must(Call::MemcpyAsync,
       [&] { return api_->memcpy_async(target.data + to.offset, source.data + from.offset, bytes, on); });
}

void CudaDevice::copy(Slice to, Slice from, std::size_t bytes) {
  const Buffers::Slot& target = buffers_.check(to, bytes, call_name(Call::Memcpy));
  const Buffers::Slot& source = buffers_.check(from, bytes, call_name(Call::Memcpy));
  must(Call::Memcpy, [&] { return api_->memcpy(target.data + to.offset, source.data + from.offset, bytes); });
}

void CudaDevice::fill_async(Slice to, std::uint8_t value, std::size_t bytes, Stream stream) {
  const StreamHandle on = stream_of(stream, Call::MemsetAsync).handle;
  Buffers::Slot& target = buffers_.check(to, bytes, call_name(Call::MemsetAsync));
  if (target.kind != MemoryKind::Device) {
    throw base::Error(tr("{}: the buffer is host memory; allowed: device memory", call_name(Call::MemsetAsync)));
  }
  begin();
  order_use(target, stream);
  must(Call::MemsetAsync, [&] { return api_->memset_async(target.data + to.offset, value, bytes, on); });
}

void CudaDevice::launch(const ops::Op& op, std::span<const Buffer> args, Stream stream, bool /*compute*/) {
  const StreamHandle on = stream_of(stream, Call::LaunchKernel).handle;
  if (args.size() > ops::kMaxArgs) {
    throw base::Error(tr("{}: {} arguments given; at most {} are allowed", call_name(Call::LaunchKernel), args.size(),
                         ops::kMaxArgs));
  }
  std::array<Api::Arg, ops::kMaxArgs> passed{};
  std::array<std::size_t, ops::kMaxArgs> elements{};
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Buffers::Slot& slot = buffers_.at(args[i], call_name(Call::LaunchKernel));
    if (slot.kind != MemoryKind::Device) {
      throw base::Error(tr("{}: an argument is host memory; allowed: device memory", call_name(Call::LaunchKernel)));
    }
    elements[i] = slot.bytes / sizeof(float);
    passed[i] = {reinterpret_cast<float*>(slot.data), elements[i]};
  }
  // An out-of-bounds kernel would put the whole device into an error state.
  ops::check_arguments(op, std::span(elements).first(args.size()));
  begin();
  for (const Buffer arg : args) order_use(buffers_.at(arg, call_name(Call::LaunchKernel)), stream);
  must(Call::LaunchKernel, [&] { return api_->launch(op, std::span(passed).first(args.size()), on); });
}

// --- graphs --------------------------------------------------------------------------------------------------------

void CudaDevice::begin_capture(Stream stream) {
  const auto index = static_cast<std::uint32_t>(stream);
  const StreamHandle on = stream_of(stream, Call::StreamBeginCapture).handle;
  begin();
  // A node cannot wait for work outside the capture: here, for the zeroing of new memory.
  if (streams_[index].non_blocking && streams_[index].ordered_after < zeroed_) {
    order(nullptr, on);
    streams_[index].ordered_after = zeroed_;
  }
  must(Call::StreamBeginCapture, [&] { return api_->begin_capture(on); });
}

Graph CudaDevice::end_capture(Stream stream) {
  const StreamHandle on = stream_of(stream, Call::StreamEndCapture).handle;
  GraphHandle captured = nullptr;
  must(Call::StreamEndCapture, [&] { return api_->end_capture(&captured, on); });
  GraphExecHandle ready = nullptr;
  const Status status = make(Call::GraphInstantiate, [&] { return api_->graph_instantiate(&ready, captured); });
  api_->graph_destroy(captured);
  if (status != kSuccess) fail(call_name(Call::GraphInstantiate), status);
  graphs_.push_back(ready);
  return static_cast<Graph>(graphs_.size());
}

GraphExecHandle CudaDevice::graph_of(Graph graph, Call call) const {
  const auto number = static_cast<std::uint32_t>(graph);
  if (number == 0 || number > graphs_.size() || graphs_[number - 1] == nullptr) {
    throw base::Error(tr("{}: graph {} does not exist", call_name(call), number));
  }
  return graphs_[number - 1];
}

void CudaDevice::launch_graph(Graph graph, Stream stream) {
  const GraphExecHandle ready = graph_of(graph, Call::GraphLaunch);
  const StreamHandle on = stream_of(stream, Call::GraphLaunch).handle;
  must(Call::GraphLaunch, [&] { return api_->graph_launch(ready, on); });
}

void CudaDevice::destroy_graph(Graph graph) {
  const GraphExecHandle ready = graph_of(graph, Call::GraphExecDestroy);
  must(Call::GraphExecDestroy, [&] { return api_->graph_exec_destroy(ready); });
  graphs_[static_cast<std::uint32_t>(graph) - 1] = nullptr;
}

// --- making one ----------------------------------------------------------------------------------------------------

std::unique_ptr<CudaDevice> make_cuda_device(Backend& backend, const GpuInfo& gpu, DeviceContext context) {
  CaptureRequest request;
  request.sink = &cuda_sink_of(context);
  request.origin_ns = monotonic_ns();
  request.level = context.capture;
  // Started before the first CUDA call, so that it sees the context being created.
  std::unique_ptr<Capture> capture = backend.capture(request);
  if (capture != nullptr) capture->set_main_thread(base::thread_number());
  std::unique_ptr<Api> api = backend.open(gpu.index);
  if (api == nullptr) {
    throw base::Error(tr("{} cannot be used: the GPU is no longer there", gpu_id(gpu.index)));
  }
  if (lost_gpus().contains(gpu.index)) {
    // Some drivers make the GPU usable again for a process whose context has failed; others never do.
    Status status = api->reset();
    if (status == kSuccess) status = api->use();
    if (status != kSuccess) {
      throw DeviceLost(tr("{} cannot be restarted in this process, the driver reports {} ({}): {}; restart Lanescope",
                          gpu_id(gpu.index), api->error_name(status), status, api->error_text(status)));
    }
    lost_gpus().remove(gpu.index);
  }
  return std::make_unique<CudaDevice>(std::move(api), std::move(capture), gpu, std::move(context), request.origin_ns);
}

}  // namespace lanescope::device::cuda
