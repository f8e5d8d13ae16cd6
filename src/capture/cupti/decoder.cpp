#include "capture/cupti/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/translate.h"
#include "capture/assembly/assembler.h"
#include "capture/assembly/operation_names.h"

namespace lanescope::capture::cupti {
namespace {

constexpr int kBrackets = 16;
constexpr int kMostBrackets = 128;  // limit, in case every bracket is interrupted
constexpr Nanoseconds kJump = 50 * base::kMicrosecond;
constexpr std::size_t kMostEpochs = 8;

// Timestamps may be arbitrary; unsigned numbers wrap around without undefined behaviour.
Nanoseconds difference(std::uint64_t cupti_ns, Nanoseconds other) {
  return static_cast<Nanoseconds>(cupti_ns - static_cast<std::uint64_t>(other));
}

}  // namespace

ClockMap::ClockMap(Clocks clocks) : clocks_(std::move(clocks)) {}

bool ClockMap::compare() {
  Nanoseconds best_width = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds distance = 0;
  for (int i = 0; i < kBrackets || (best_width > kJump && i < kMostBrackets); ++i) {
    const Nanoseconds before = clocks_.trace_ns();
    const std::uint64_t cupti = clocks_.cupti_ns();
    const Nanoseconds width = clocks_.trace_ns() - before;
    if (width < 0 || width >= best_width) continue;
    best_width = width;
    distance = difference(cupti, before + width / 2);
  }
  if (!known()) {
    epochs_.push_back({distance});
    return false;
  }
  // The offset is uncertain by half a bracket. A comparison less precise than the jump it looks for means nothing.
  const auto moved =
      static_cast<std::uint64_t>(difference(static_cast<std::uint64_t>(distance), epochs_.back().distance_ns));
  const std::uint64_t size = moved >> 63 ? std::uint64_t{0} - moved : moved;
  if (best_width > kJump || size <= static_cast<std::uint64_t>(kJump)) return false;
  epochs_.push_back({distance});
  if (epochs_.size() > kMostEpochs) epochs_.pop_front();
  return true;
}

Nanoseconds ClockMap::last_jump_ns() const {
  if (epochs_.size() < 2) return 0;
  return epochs_.back().distance_ns - epochs_[epochs_.size() - 2].distance_ns;
}

Nanoseconds ClockMap::to_trace(std::uint64_t cupti_ns) const {
  if (!known()) return static_cast<Nanoseconds>(cupti_ns);
  const Nanoseconds newest = difference(cupti_ns, epochs_.back().distance_ns);
  if (epochs_.size() == 1 || newest <= seen_now_ns_) return newest;
  seen_now_ns_ = clocks_.trace_ns();
  for (auto epoch = epochs_.rbegin(); epoch != epochs_.rend(); ++epoch) {
    const Nanoseconds t = difference(cupti_ns, epoch->distance_ns);
    if (t <= seen_now_ns_) return t;
  }
  return newest;
}

// --- decoder ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostKernels = 1 << 16;

}  // namespace

Names::Api Names::make_api(bool driver, std::uint32_t cbid) {
  const char* text = nullptr;
  const CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  std::string name;
  if (table_.get_callback_name && table_.get_callback_name(domain, cbid, &text) == CUPTI_SUCCESS && text) {
    name = text;
  } else {
    name = fmt::format("{} call {}", driver ? "driver" : "runtime", cbid);
  }
  const ApiFacts facts = api_facts(name, driver);
  Api api;
  api.known = true;
  api.name = sink_.name(facts.name);
  api.nature = facts.nature;
  api.traits = facts.traits;
  return api;
}

Names::Api Names::api(bool driver, std::uint32_t cbid) {
  if (cbid >= kMaxCbid) return make_api(driver, cbid);
  std::vector<Api>& apis = apis_[driver ? 1 : 0];
  if (cbid >= apis.size()) apis.resize(cbid + 1);
  if (!apis[cbid].known) apis[cbid] = make_api(driver, cbid);
  return apis[cbid];
}

NameId Names::kernel(const char* text) {
  if (!text) text = "(no name)";
  const auto hash = reinterpret_cast<std::uintptr_t>(text) * 0x9E3779B97F4A7C15u;
  AtAddress& recent = recent_[hash >> 56];
  if (recent.address == text && recent.text == text) return recent.id;
  if (kernels_.size() >= kMostKernels) kernels_.clear();
  const auto [it, added] = kernels_.try_emplace(text, NameId{0});
  if (added) it->second = sink_.name(kernel_name(it->first));
  recent = {text, it->first, it->second};
  return it->second;
}

NameId Names::copy(std::uint8_t copy_kind, std::uint8_t from, std::uint8_t to) {
  if (copy_kind >= kCopyKinds) copy_kind = 0;
  if (from >= kMemoryKinds) from = 0;
  if (to >= kMemoryKinds) to = 0;
  NameId& id = copies_[(copy_kind * kMemoryKinds + from) * kMemoryKinds + to];
  if (id == 0) id = sink_.name(copy_name(copy_kind, from, to));
  return id;
}

NameId Names::memset(std::uint16_t memory_kind) {
  if (memory_kind >= kMemoryKinds) memory_kind = 0;
  NameId& id = memsets_[memory_kind];
  if (id == 0) id = sink_.name(memset_name(memory_kind));
  return id;
}

// --- record reader ---------------------------------------------------------------------------------------------------

namespace {

constexpr Nanoseconds kFarOff = 3600 * base::kSecond;
// The CUPTI versions that introduced the larger structs.
constexpr std::uint32_t kEventSyncIdVersion = 26;          // CUDA 12.8
constexpr std::uint32_t kOverheadCorrelationVersion = 20;  // CUDA 12.2
constexpr std::uint32_t kOverheadDataVersion = 130000;     // CUDA 13.0 or earlier

template <typename T>
const T& as(const CUpti_Activity& activity) {
  return reinterpret_cast<const T&>(activity);
}

/// Of an enumeration in a record. A newer CUPTI may write a number that this one's headers do not know, which must not
/// be read as a value of their type.
template <typename Enumeration>
std::uint32_t number_in(const Enumeration& field) {
  static_assert(std::is_enum_v<Enumeration> && sizeof(Enumeration) == sizeof(std::uint32_t));
  std::uint32_t number = 0;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

trace::LaunchShape shape_of(const CUpti_ActivityKernel4& kernel) {
  const auto size = [](std::int32_t n) { return static_cast<std::uint32_t>(std::max(0, n)); };
  trace::LaunchShape shape;
  shape.grid = {size(kernel.gridX), size(kernel.gridY), size(kernel.gridZ)};
  shape.block = {size(kernel.blockX), size(kernel.blockY), size(kernel.blockZ)};
  shape.registers_per_thread = kernel.registersPerThread;
  shape.static_shared_bytes = size(kernel.staticSharedMemory);
  shape.dynamic_shared_bytes = size(kernel.dynamicSharedMemory);
  shape.shared_bytes = shape.static_shared_bytes + shape.dynamic_shared_bytes;
  shape.context = kernel.contextId;
  return shape;
}

static_assert(kEventSynchronize == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
static_assert(kStreamSynchronize == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
static_assert(kBlockingStream == CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT);
static_assert(kBufferFlush == CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
static_assert(kInstrumentation == CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION);
static_assert(kResource == CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE);
static_assert(kQueueFull == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
static_assert(kBufferRequest == CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);

std::uint64_t join_number(std::uint64_t id) {
  return id == CUPTI_SYNCHRONIZATION_INVALID_VALUE || id == ~std::uint64_t{0} ? 0 : id;
}

}  // namespace

bool RecordReader::set_times(std::uint64_t start, std::uint64_t end, Nanoseconds now, Record& record) {
  if (start == CUPTI_TIMESTAMP_UNKNOWN || end == CUPTI_TIMESTAMP_UNKNOWN) {
    add(counts_.untimed);
    return false;
  }
  record.start_ns = clock_.to_trace(start);
  record.end_ns = clock_.to_trace(end);
  for (const Nanoseconds t : {record.start_ns, record.end_ns}) {
    if (t >= now - kFarOff && t <= now + kFarOff) continue;
    add(counts_.far_off);
    return false;
  }
  if (record.end_ns < record.start_ns) {
    record.end_ns = record.start_ns;
    add(counts_.clamped);
  }
  return true;
}

bool RecordReader::read(const CUpti_Activity& activity, Nanoseconds now, Record& record) {
  switch (number_in(activity.kind)) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return read_call(as<CUpti_ActivityAPI>(activity), false, now, record);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return read_call(as<CUpti_ActivityAPI>(activity), true, now, record);
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& kernel = as<CUpti_ActivityKernel4>(activity);
      record.kind = RecordKind::Operation;
      record.event_kind = trace::EventKind::Kernel;
      record.copy_flags = 0;
      if (!set_times(kernel.start, kernel.end, now, record)) return false;
      record.name = names_.kernel(kernel.name);
      record.correlation = kernel.correlationId;
      record.device = kernel.deviceId;
      record.context = kernel.contextId;
      record.stream = kernel.streamId;
      record.detail = launches_.number_of(shape_of(kernel));
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return read_copy(as<CUpti_ActivityMemcpy>(activity), now, record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return read_copy(as<CUpti_ActivityMemcpyPtoP>(activity), now, record);
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& memset = as<CUpti_ActivityMemset>(activity);
      record.kind = RecordKind::Operation;
      record.event_kind = trace::EventKind::Memset;
      record.copy_flags = copy_flags({.destination = memory_kind(memset.memoryKind),
                                      .asynchronous = (memset.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0});
      if (!set_times(memset.start, memset.end, now, record)) return false;
      record.name = names_.memset(memset.memoryKind);
      record.value = memset.bytes;
      record.correlation = memset.correlationId;
      record.device = memset.deviceId;
      record.context = memset.contextId;
      record.stream = memset.streamId;
      return true;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& sync = as<CUpti_ActivitySynchronization>(activity);
      record.kind = RecordKind::Sync;
      if (!set_times(sync.start, sync.end, now, record)) return false;
      record.detail = number_in(sync.type);
      record.correlation = sync.correlationId;
      record.context = sync.contextId;
      record.stream = sync.streamId;
      if (version_ >= kEventSyncIdVersion) {
        record.value = join_number(as<CUpti_ActivitySynchronization2>(activity).cudaEventSyncId);
      }
      return true;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      const auto& event = as<CUpti_ActivityCudaEvent>(activity);
      record.kind = RecordKind::GpuEvent;
      record.start_ns = record.end_ns = now;  // it has no timestamp
      record.correlation = event.correlationId;
      record.context = event.contextId;
      record.stream = event.streamId;
      if (version_ < kEventSyncIdVersion) return false;
      record.value = join_number(as<CUpti_ActivityCudaEvent2>(activity).cudaEventSyncId);
      return record.value != 0;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return read_overhead(activity, now, record);
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
      const auto& context = as<CUpti_ActivityContext>(activity);
      record.kind = RecordKind::Context;
      record.context = context.contextId;
      record.device = context.deviceId;
      record.detail = context.nullStreamId;
      return true;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
      const auto& stream = as<CUpti_ActivityStream>(activity);
      record.kind = RecordKind::Stream;
      record.context = stream.contextId;
      record.stream = stream.streamId;
      record.detail = number_in(stream.flag);
      return true;
    }
    default:
      return false;
  }
}

bool RecordReader::read_call(const CUpti_ActivityAPI& api, bool driver, Nanoseconds now, Record& record) {
  record.kind = RecordKind::Call;
  record.event_kind = trace::EventKind::Call;
  if (!set_times(api.start, api.end, now, record)) return false;
  const Names::Api known = names_.api(driver, static_cast<std::uint32_t>(api.cbid));
  record.name = known.name;
  record.nature = known.nature;
  record.traits = known.traits;
  if (api.returnValue != 0) record.traits |= kFailed;
  record.correlation = api.correlationId;
  record.thread = api.threadId;
  return true;
}

template <typename Copy>
bool RecordReader::read_copy(const Copy& copy, Nanoseconds now, Record& record) {
  record.kind = RecordKind::Operation;
  record.event_kind = trace::EventKind::Copy;
  if (!set_times(copy.start, copy.end, now, record)) return false;
  record.name = names_.copy(copy.copyKind, copy.srcKind, copy.dstKind);
  record.value = copy.bytes;
  record.correlation = copy.correlationId;
  record.device = copy.deviceId;
  record.context = copy.contextId;
  record.stream = copy.streamId;
  record.copy_flags = copy_flags({.direction = copy_direction(copy.copyKind),
                                  .source = memory_kind(copy.srcKind),
                                  .destination = memory_kind(copy.dstKind),
                                  .asynchronous = (copy.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0});
  return true;
}

bool RecordReader::read_overhead(const CUpti_Activity& activity, Nanoseconds now, Record& record) {
  const auto& overhead = as<CUpti_ActivityOverhead>(activity);
  if (version_ >= kOverheadDataVersion) std::free(as<CUpti_ActivityOverhead3>(activity).overheadData);
  record.kind = RecordKind::Overhead;
  if (!set_times(overhead.start, overhead.end, now, record)) return false;
  record.detail = number_in(overhead.overheadKind);
  if (number_in(overhead.objectKind) == CUPTI_ACTIVITY_OBJECT_THREAD) record.thread = overhead.objectId.pt.threadId;
  if (version_ >= kOverheadCorrelationVersion) {
    record.correlation = as<CUpti_ActivityOverhead2>(activity).correlationId;
  }
  return true;
}

// --- decoder ---------------------------------------------------------------------------------------------------------

namespace {

constexpr Nanoseconds kCompareInterval = base::kSecond;

}  // namespace

class Decoder::Impl {
 public:
  Impl(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts)
      : table_(table),
        sink_(sink),
        clock_(std::move(clock)),
        counts_(counts),
        names_(table_, sink),
        launches_(sink),
        reader_(table_, clock_, names_, launches_, counts),
        assembler_(sink, counts) {}

  void take(std::uint8_t* buffer, std::size_t valid_bytes) {
    if (!buffer || valid_bytes == 0) return;
    look_at_clocks();
    const Nanoseconds now = clock_.now_ns();
    CUpti_Activity* activity = nullptr;
    std::uint64_t received = 0;
    for (;;) {
      const CUptiResult result = table_.get_next_record(buffer, valid_bytes, &activity);
      if (result != CUPTI_SUCCESS || !activity) {
        // The end, or an unreadable record, after which no other can be found.
        if (result != CUPTI_ERROR_MAX_LIMIT_REACHED) add(counts_.unknown_kind);
        break;
      }
      ++received;
      take(*activity, now);
    }
    add(counts_.received, received);
    assembler_.relieve(now);
  }

  void advance(const Progress& progress) { assembler_.advance(progress, clock_.now_ns()); }
  void finish() { assembler_.finish(clock_.now_ns()); }
  Assembler& assembler() { return assembler_; }

 private:
  void take(const CUpti_Activity& activity, Nanoseconds now) {
    try {
      Record record;
      if (reader_.read(activity, now, record)) assembler_.add(record);
    } catch (...) {
      add(counts_.dropped);  // out of memory, or the sink accepts no more names
    }
  }

  // CUPTI's clock is only reliable once CUDA is initialised, so it is first read when there is a record.
  void look_at_clocks() {
    const Nanoseconds now = clock_.now_ns();
    if (clock_.known() && now - compared_ns_ < kCompareInterval) return;
    compared_ns_ = now;
    if (!clock_.compare()) return;
    add(counts_.clock_steps);
    try {
      assembler_.mark(
          now, sink_.name(base::tr("the capture's clock moved by {}", base::format_duration(clock_.last_jump_ns()))));
    } catch (...) {
      // The step is counted; losing its marker is better than losing the buffer.
    }
  }

  const CuptiTable table_;
  trace::EventSink& sink_;
  ClockMap clock_;
  Counts& counts_;
  Names names_;
  Launches launches_;
  RecordReader reader_;
  Assembler assembler_;
  Nanoseconds compared_ns_ = 0;
};

Decoder::Decoder(const CuptiTable& table, trace::EventSink& sink, ClockMap clock, Counts& counts)
    : impl_(std::make_unique<Impl>(table, sink, std::move(clock), counts)) {}

Decoder::~Decoder() = default;

void Decoder::set_main_thread(std::uint32_t tid) { impl_->assembler().set_main_thread(tid); }

// No exception may leave these functions: they run on a thread that is never joined. An exception costs at most one
// clock comparison, or occurs because memory ran out.
void Decoder::take(std::uint8_t* buffer, std::size_t valid_bytes) {
  try {
    impl_->take(buffer, valid_bytes);
  } catch (...) {
  }
}

void Decoder::advance(const Progress& progress) {
  try {
    impl_->advance(progress);
  } catch (...) {
  }
}

Nanoseconds Decoder::complete_until() const { return impl_->assembler().complete_until(); }

void Decoder::finish() {
  try {
    impl_->finish();
  } catch (...) {
  }
}

}  // namespace lanescope::capture::cupti
