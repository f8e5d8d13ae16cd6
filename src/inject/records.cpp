#include "inject/records.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "inject/calls.h"
#include "inject/compat.h"
#include "inject/cupti.h"
#include "inject/ring.h"
#include "inject/short_text.h"
#include "inject/threads.h"

namespace lanescope::inject {
namespace {

constexpr std::uint32_t kNullAllowed = 27;  // from CUDA 12.9 on CUPTI accepts that there is no buffer
// The versions of CUPTI that introduced the larger structs.
constexpr std::uint32_t kOverheadCorrelation = 20;  // CUDA 12.2
constexpr std::uint32_t kEventNumbers = 26;         // CUDA 12.8
constexpr std::uint32_t kOverheadData = 130000;     // CUDA 13.0
constexpr std::uint32_t kMayBeToggled = 130001;     // CUDA 13.0 update 1

// --- Buffers. Small ones: a buffer comes back only when all of its records are complete. --------------------------
//
//   free stack ─ requested() ─▶ CUPTI ─ completed() ─▶ completed list ─ read_completed() ─▶ zeroed, free stack

constexpr std::size_t kBufferBytes = 32 << 10;
#ifdef LANESCOPE_OWN_LOOPS
constexpr std::size_t kBuffers = 2048;  // no record may be lost; untouched, they cost nothing
#else
constexpr std::size_t kBuffers = 512;
#endif
constexpr std::uint32_t kNoBuffer = 0xFFFFFFFF;

enum class Place : std::uint8_t { Free, Out, Completed };
struct Buffer {
  std::atomic<std::uint32_t> next;
  std::atomic<Place> place;
  std::atomic<std::int64_t> asked_ns;
  std::atomic<std::size_t> valid;
  std::size_t written_before;  // when recording was last switched on; the library's thread only
  bool left_over;              // from a recording that has ended; likewise
};
Buffer buffers[kBuffers];
unsigned char* pool = nullptr;
alignas(64) unsigned char scratch[4096];
// The top of the free stack; above it a count that changes with each pop, against the ABA problem.
alignas(64) std::atomic<std::uint64_t> free_top{kNoBuffer};
alignas(64) std::atomic<std::uint32_t> completed_top{kNoBuffer};
std::atomic<std::uint64_t> moved{0};

unsigned char* data_of(std::uint32_t i) { return pool + i * kBufferBytes; }

void push_free(std::uint32_t i) {
  std::uint64_t top = free_top.load(kRelaxed);
  do {
    buffers[i].next.store(static_cast<std::uint32_t>(top), kRelaxed);
  } while (!free_top.compare_exchange_weak(top, (top >> 32 << 32) | i, std::memory_order_release, kRelaxed));
}

std::uint32_t pop_free() {
  std::uint64_t top = free_top.load(std::memory_order_acquire);
  for (;;) {
    const auto i = static_cast<std::uint32_t>(top);
    if (i == kNoBuffer) return i;
    const std::uint64_t next = ((top >> 32) + 1) << 32 | buffers[i].next.load(kRelaxed);
    if (free_top.compare_exchange_weak(top, next, std::memory_order_acq_rel, std::memory_order_acquire)) return i;
  }
}

void CUPTIAPI requested(std::uint8_t** data, std::size_t* size, std::size_t* most_records) {
  *data = nullptr;
  *size = *most_records = 0;
  const std::uint32_t i = live() ? pop_free() : kNoBuffer;  // what stays on asks for buffers also after the end
  if (i == kNoBuffer) {
    if (live()) count(ring.status().no_buffer);
    if (cupti.version >= kNullAllowed) return;
    *data = scratch;  // what is written to it is lost
    *size = sizeof(scratch);
    return;
  }
  buffers[i].asked_ns.store(now_ns(), kRelaxed);
  buffers[i].place.store(Place::Out, std::memory_order_release);
  count(moved);
  *data = data_of(i);
  *size = kBufferBytes;
}

void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t* data, std::size_t, std::size_t valid) {
  if (data < pool || data >= pool + kBuffers * kBufferBytes) return;
  const auto offset = static_cast<std::size_t>(data - pool);
  if (offset % kBufferBytes != 0) return;
  const auto i = static_cast<std::uint32_t>(offset / kBufferBytes);
  Place out = Place::Out;
  if (!buffers[i].place.compare_exchange_strong(out, Place::Completed, std::memory_order_acq_rel)) return;
  if (valid > kBufferBytes) valid = kBufferBytes;
  buffers[i].valid.store(valid, kRelaxed);
  count(moved);
  if (!live()) {  // nobody reads it: it is free for the next recording
    std::memset(data, 0, valid);
    buffers[i].place.store(Place::Free, std::memory_order_release);
    return push_free(i);
  }
  std::uint32_t top = completed_top.load(kRelaxed);
  do {
    buffers[i].next.store(top, kRelaxed);
  } while (!completed_top.compare_exchange_weak(top, i, std::memory_order_release, kRelaxed));
}

bool is_written(std::uint32_t i, std::size_t word) {
  auto* words = reinterpret_cast<std::uint32_t*>(data_of(i));
  return std::atomic_ref<std::uint32_t>(words[word]).load(kRelaxed) != 0;
}

// Up to the last word that is not 0, in words.
std::size_t written(std::uint32_t i) {
  std::size_t n = kBufferBytes / sizeof(std::uint32_t);
  while (n > 0 && !is_written(i, n - 1)) --n;
  return n;
}

// A buffer with a record that CUPTI never completes does not come back, and nothing later could be said to be
// delivered: with twelve programs on an H200, all bursts but the first were unknown, though their records came. So a
// buffer is left out if it is far older than this recording and nothing has been written to it since that began.
constexpr std::int64_t kNeverComesBack = 2 * kSecond;
bool is_lost(std::uint32_t i, std::int64_t recording_since) {
  const bool old = buffers[i].left_over || buffers[i].asked_ns.load(kRelaxed) < recording_since - kNeverComesBack;
  return old && written(i) == buffers[i].written_before;
}

// When the oldest buffer was asked for that CUPTI holds and has written to, and that is not lost; 0: there is none. A
// record begins with its kind, which is never 0, and a free buffer is all zeros.
std::int64_t oldest_out_ns(std::int64_t recording_since) {
  std::int64_t oldest = 0;
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    if (buffers[i].place.load(std::memory_order_acquire) != Place::Out || !is_written(i, 0)) continue;
    const std::int64_t asked = buffers[i].asked_ns.load(kRelaxed);
    if ((oldest == 0 || asked < oldest) && !is_lost(i, recording_since)) oldest = asked;
  }
  return oldest;
}

void note_written() {
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    if (buffers[i].place.load(std::memory_order_acquire) == Place::Out) buffers[i].written_before = written(i);
  }
}

// --- Time. CUPTI's is CLOCK_REALTIME or another that runs as fast as CLOCK_MONOTONIC; their distance changes only when
// somebody sets the clock. ------------------------------------------------------------------------------------------

constexpr std::int64_t kJump = 50'000, kFarOff = 3600 * kSecond;
struct Epoch {
  std::uint64_t distance;  // CUPTI's time minus ours
  bool known;
};
Epoch now_epoch, last_epoch;
bool operations_seen = false;

void compare_clocks() {
  std::int64_t best = INT64_MAX;
  std::uint64_t distance = 0;
  for (int i = 0; i < 16 || (best > kJump && i < 128); ++i) {
    const std::int64_t before = now_ns();
    std::uint64_t stamp = 0;
    if (cupti.get_timestamp(&stamp) != CUPTI_SUCCESS) return;
    const std::int64_t width = now_ns() - before;
    if (width < 0 || width >= best) continue;
    best = width;
    distance = stamp - static_cast<std::uint64_t>(before + width / 2);
  }
  if (!now_epoch.known) {
    now_epoch = {distance, true};
    return;
  }
  const auto step = static_cast<std::int64_t>(distance - now_epoch.distance);
  if (best > kJump || (step <= kJump && step >= -kJump)) return;
  // CUPTI's clock settles only after cuInit; that is no step.
  if (operations_seen) {
    last_epoch = now_epoch;
    count(ring.status().clock_steps);
  }
  now_epoch = {distance, true};
}

// In the newest epoch in which the time is not in the future.
std::int64_t our_time(std::uint64_t stamp, std::int64_t now) {
  const auto t = static_cast<std::int64_t>(stamp - now_epoch.distance);
  if (t <= now + kMillisecond || !last_epoch.known) return t;
  const auto earlier = static_cast<std::int64_t>(stamp - last_epoch.distance);
  return earlier <= now + kMillisecond ? earlier : t;
}

template <typename Message>
bool set_times(Message& message, std::uint64_t start, std::uint64_t end, std::int64_t now) {
  if (start == CUPTI_TIMESTAMP_UNKNOWN || end == CUPTI_TIMESTAMP_UNKNOWN) {
    count(ring.status().untimed);
    return false;
  }
  message.start_ns = our_time(start, now);
  message.end_ns = our_time(end, now);
  if (message.end_ns < message.start_ns) message.end_ns = message.start_ns;
  if (message.start_ns < now - kFarOff || message.end_ns > now + kFarOff) {
    count(ring.status().untimed);
    return false;
  }
  return true;
}

// --- Records. Each is read as the oldest struct that has the fields: later ones only add to its end. ----------------

template <typename T>
const T& as(const CUpti_Activity& record) {
  return reinterpret_cast<const T&>(record);
}

// A time in which everything is or was recorded. Of what stays switched on, only its records are sent.
struct Recorded {
  std::int64_t from = 0, on = 0, to = 0;  // `on`: all is switched on
  std::uint32_t last_call = 0;            // the newest one at its end

  bool has_wait(std::int64_t start) const { return start >= from && start <= to; }
  /// Also what was launched then and ran later.
  bool has_work(std::int64_t start, std::uint32_t correlation) const {
    const bool launched = to != 0 && static_cast<std::int32_t>(last_call - correlation) >= 0;
    return start >= on && (start <= to || launched);
  }
};
Recorded recorded, recorded_before;

std::uint32_t shape_id(const CUpti_ActivityKernel4& k) {
  const auto size = [](std::int32_t n) { return static_cast<std::uint32_t>(n > 0 ? n : 0); };
  wire::ShapeMessage shape{};
  shape.grid[0] = size(k.gridX), shape.grid[1] = size(k.gridY), shape.grid[2] = size(k.gridZ);
  shape.block[0] = size(k.blockX), shape.block[1] = size(k.blockY), shape.block[2] = size(k.blockZ);
  shape.static_bytes = size(k.staticSharedMemory);
  shape.dynamic_bytes = size(k.dynamicSharedMemory);
  shape.registers = k.registersPerThread;
  IdTable::Cell* cell = shape_table.find(hash(&shape, sizeof(shape)));
  if (!cell) return 0;
  const std::uint32_t id = cell->id.load(kRelaxed);
  if (cell->sent.load(kRelaxed) != 0) return id;
  if (!ring.send(wire::MessageKind::Shape, shape, id)) return 0;
  cell->sent.store(1, kRelaxed);
  return id;
}

std::uint32_t context_ids[2];  // the first that were seen

template <typename Record>
wire::OperationMessage operation(const Record& record) {
  operations_seen = true;
  wire::OperationMessage message{};
  message.correlation = numbered(record.correlationId);
  message.stream = record.streamId;
  message.context = record.contextId;
  if (context_ids[0] == 0) context_ids[0] = record.contextId;
  if (context_ids[1] == 0 && record.contextId != context_ids[0]) context_ids[1] = record.contextId;
  message.device = static_cast<std::uint16_t>(record.deviceId);
  return message;
}

bool of_recording(const wire::OperationMessage& op) {
  return recorded.has_work(op.start_ns, op.correlation) || recorded_before.has_work(op.start_ns, op.correlation);
}

template <typename Copy>
void send_copy(const Copy& copy, std::uint64_t node, std::int64_t now) {
  wire::OperationMessage message = operation(copy);
  if (!set_times(message, copy.start, copy.end, now) || !of_recording(message)) return;
  message.copy_kind = copy.copyKind;
  message.source = copy.srcKind & 15;
  message.destination = copy.dstKind & 15;
  message.bytes = copy.bytes;
  message.graph_node = static_cast<std::uint32_t>(node);
  message.asynchronous = (copy.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  ring.send(wire::MessageKind::Copy, message);
}

void send_device(const CUpti_Activity& record) {
  const auto& device = as<CUpti_ActivityDevice4>(record);
  wire::DeviceMessage message{};
  message.device = device.id;
  if (device.name) message.name = text_or_none(device.name, strnlen(device.name, 256));
  static_assert(sizeof(device.uuid) == sizeof(message.uuid));
  std::memcpy(message.uuid, &device.uuid, sizeof(message.uuid));
  ring.send(wire::MessageKind::Device, message);
}

// The earliest start of a kernel that was launched since recording was switched on; 0: none has come.
std::int64_t first_work = 0;

void note_work(const wire::OperationMessage& message) {
  const std::uint32_t first = first_call.load(kRelaxed);
  if (first == 0 || static_cast<std::int32_t>(message.correlation - first) < 0) return;
  if (first_work == 0 || message.start_ns < first_work) first_work = message.start_ns;
}

std::uint64_t event_number(std::uint64_t id) {
  return id == CUPTI_SYNCHRONIZATION_INVALID_VALUE || id == ~std::uint64_t{0} ? 0 : id;
}

void send_record(const CUpti_Activity& record, std::int64_t now) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = as<CUpti_ActivityKernel4>(record);
      wire::OperationMessage message = operation(kernel);
      if (!set_times(message, kernel.start, kernel.end, now) || !of_recording(message)) return;
      message.kernel.name = kernel.name ? text_or_none(kernel.name, std::strlen(kernel.name)) : 0;
      message.kernel.shape = shape_id(kernel);
      // Since CUDA 11.1, which is older than any CUPTI that is accepted here.
      message.graph_node = static_cast<std::uint32_t>(as<CUpti_ActivityKernel6>(record).graphNodeId);
      note_work(message);
      ring.send(wire::MessageKind::Kernel, message);
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      send_copy(as<CUpti_ActivityMemcpy>(record), as<CUpti_ActivityMemcpy4>(record).graphNodeId, now);
      return;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      send_copy(as<CUpti_ActivityMemcpyPtoP>(record), as<CUpti_ActivityMemcpyPtoP3>(record).graphNodeId, now);
      return;
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& memset = as<CUpti_ActivityMemset>(record);
      wire::OperationMessage message = operation(memset);
      if (!set_times(message, memset.start, memset.end, now) || !of_recording(message)) return;
      message.copy_kind = 0xFF;
      message.destination = memset.memoryKind & 15;
      message.bytes = memset.bytes;
      message.graph_node = static_cast<std::uint32_t>(as<CUpti_ActivityMemset3>(record).graphNodeId);
      message.asynchronous = (memset.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0;
      ring.send(wire::MessageKind::Copy, message);
      return;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& sync = as<CUpti_ActivitySynchronization>(record);
      wire::SyncMessage message{};
      if (!set_times(message, sync.start, sync.end, now)) return;
      if (!recorded.has_wait(message.start_ns) && !recorded_before.has_wait(message.start_ns)) return;
      message.correlation = numbered(sync.correlationId);
      message.type = sync.type;
      message.context = sync.contextId;
      message.stream = sync.streamId;
      if (cupti.version >= kEventNumbers)
        message.event = event_number(as<CUpti_ActivitySynchronization2>(record).cudaEventSyncId);
      ring.send(wire::MessageKind::Sync, message);
      return;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      if (cupti.version < kEventNumbers) return;
      const auto& event = as<CUpti_ActivityCudaEvent2>(record);
      const wire::EventMessage message{event_number(event.cudaEventSyncId), numbered(event.correlationId),
                                       event.contextId, event.streamId};
      if (message.event != 0) ring.send(wire::MessageKind::Event, message);
      return;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& overhead = as<CUpti_ActivityOverhead>(record);
      if (cupti.version >= kOverheadData) free(as<CUpti_ActivityOverhead3>(record).overheadData);  // ours to free
      wire::StallMessage message{};
      if (!set_times(message, overhead.start, overhead.end, now)) return;
      message.kind = overhead.overheadKind;
      if (overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) message.thread = overhead.objectId.pt.threadId;
      if (message.thread == thread_id()) return;  // a flush of this thread holds nobody up
      if (cupti.version >= kOverheadCorrelation)
        message.correlation = numbered(as<CUpti_ActivityOverhead2>(record).correlationId);
      ring.send(wire::MessageKind::Stall, message);
      return;
    }
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
      const auto& context = as<CUpti_ActivityContext>(record);
      ring.send(wire::MessageKind::Context,
                wire::ContextMessage{context.contextId, context.deviceId, context.nullStreamId});
      return;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
      const auto& stream = as<CUpti_ActivityStream>(record);
      ring.send(wire::MessageKind::Stream,
                wire::StreamMessage{stream.contextId, stream.streamId, static_cast<std::uint32_t>(stream.flag)});
      return;
    }
    case CUPTI_ACTIVITY_KIND_DEVICE:
      send_device(record);
      return;
    default:
      return;
  }
}

// --- Recording ------------------------------------------------------------------------------------------------------

struct ActivityKind {
  CUpti_ActivityKind kind;
  bool dump;   // also reports objects that exist already
  bool stays;  // is not switched off between recordings
  Kinds from = Kinds::Attached;
};
// CUPTI_ACTIVITY_KIND_KERNEL would serialise the kernels, and RUNTIME doubles the time of an iteration: calls come from
// callbacks.
// What stays is on until all of a burst has come; then CUPTI is finalised (cupti.h). Where that cannot be, kernels,
// copies and memsets are switched off: with CUDA 13.0 update 1, 2,500 cycles beside running work went well; an earlier
// one killed a training loop once in some hundred bursts, since a thread of its own freed the same memory twice. If
// synchronisations are switched off while a thread is in a call, CUPTI 13.0 may give all later calls of that thread the
// number of this one, so that nothing can be matched any more: they stay.
constexpr ActivityKind kKinds[] = {
    {CUPTI_ACTIVITY_KIND_CONTEXT, true, false},
    {CUPTI_ACTIVITY_KIND_STREAM, true, false},
    {CUPTI_ACTIVITY_KIND_DEVICE, true, false},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, false, true, Kinds::Work},
    {CUPTI_ACTIVITY_KIND_MEMCPY, false, true, Kinds::Work},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, false, true, Kinds::Work},
    {CUPTI_ACTIVITY_KIND_MEMSET, false, true, Kinds::Work},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, true},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, false, false, Kinds::Own},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, false, false},
};
// A record is written a little after its operation has ended.
constexpr std::int64_t kWrittenAfter = kMillisecond;
bool is_recording = false, ever_recorded = false, all_on = false;
Kinds kinds_now = Kinds::Attached;
std::int64_t delivered_ns = 0;

// Changes that found no room. The viewer must hear of each, in order, or it takes time that was not recorded for idle
// time. A burst neither of whose ends was sent is left out: at most the end of one waits, and the beginning of the
// next.
wire::RecordingMessage unsent[2];
std::size_t unsent_count = 0;

void send_recording(wire::RecordingAct act, std::int64_t time, std::uint32_t level, std::int64_t took,
                    bool kernels_before = false, std::int64_t held_up = 0) {
  wire::RecordingMessage message{};
  message.time_ns = time;
  message.act = act;
  message.level = level;
  message.took_ns = took;
  message.kernels_before = kernels_before;
  message.held_up_us = static_cast<std::uint32_t>(held_up / 1000);
  send_unsent_changes();
  if (unsent_count == 0 && ring.send(wire::MessageKind::Recording, message)) return;
  if (act == wire::RecordingAct::Delivered || act == wire::RecordingAct::Away) return;
  if (unsent_count > 0 && unsent[unsent_count - 1].act == wire::RecordingAct::On) {
    --unsent_count;
  } else {
    unsent[unsent_count++] = message;
  }
}

void switched(std::int64_t took) {
  count(ring.status().switches);
  count(ring.status().switch_ns, static_cast<std::uint64_t>(took));
}

}  // namespace

bool prepare_records() {
  if (pool) return ask_for_records();
  void* at = mmap(nullptr, kBuffers * kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  pool = static_cast<unsigned char*>(at);
  for (std::uint32_t i = kBuffers; i-- > 0;) push_free(i);
  return ask_for_records();
}

bool ask_for_records() {
  if (cupti.set_attribute) {
    std::uint8_t zeroed = 1;  // otherwise CUPTI clears the buffers, in the program's threads
    std::size_t size = sizeof(zeroed);
    cupti.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
  }
  if (cupti.set_thread_id_type) cupti.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  return cupti.register_callbacks(&requested, &completed) == CUPTI_SUCCESS;
}

std::int64_t first_work_ns() { return first_work; }

void send_unsent_changes() {
  while (unsent_count > 0 && ring.send(wire::MessageKind::Recording, unsent[0])) unsent[0] = unsent[--unsent_count];
}

bool recording() { return is_recording; }
bool records_out() { return oldest_out_ns(0) != 0; }
std::uint64_t buffers_moved() { return moved.load(kRelaxed); }

int start_recording(std::uint32_t level, Kinds kinds) {
  const bool first = !ever_recorded;
  if (first) {
    // Touched here, so that the program's threads need not wait for the pages.
    for (std::size_t i = 0; i < kBuffers * kBufferBytes / 4; i += 4096) pool[i] = 0;
    ever_recorded = true;
  }
  const bool were_on = std::exchange(all_on, true);
  if (!were_on && cupti.enable_all_sync_records) cupti.enable_all_sync_records(0);  // not those of polling
  compare_clocks();
  note_written();
  const std::int64_t began = now_ns();
  kinds_now = kinds;
  CUptiResult kernels = CUPTI_SUCCESS;
  for (const ActivityKind& kind : kKinds) {
    if (kind.from > kinds || (kind.stays && were_on)) continue;
    const CUptiResult result =
        kind.dump && cupti.enable_and_dump ? cupti.enable_and_dump(kind.kind) : cupti.enable(kind.kind);
    if (kind.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) kernels = result;
  }
  // With our own loops it was always said after the kinds were on, which may reset it.
  if (kinds == Kinds::Own && cupti.enable_all_sync_records) cupti.enable_all_sync_records(0);
  is_recording = true;
  ring.status().recording.store(1, kRelaxed);
  const std::int64_t on = now_ns();
  recorded_before = recorded;
  recorded = {began, on, INT64_MAX, 0};
  first_call.store(0, kRelaxed);
  first_work = 0;
  switched(on - began);
  send_recording(wire::RecordingAct::On, on, level, on - began, were_on);
  return kernels;
}

namespace {

void stop_recording(std::uint32_t level, bool all) {
  const std::int64_t off = now_ns();
  is_recording = false;
  recorded.to = off;
  recorded.last_call = newest_call();
  ring.status().recording.store(0, kRelaxed);
  constexpr std::size_t kCount = sizeof(kKinds) / sizeof(kKinds[0]);
  for (std::size_t i = 0; i < kCount; ++i) {
    const ActivityKind& kind = kKinds[all ? kCount - 1 - i : i];
    if (kind.from <= kinds_now && (all || !kind.stays)) cupti.disable(kind.kind);
  }
  all_on = all_on && !all;
  const std::int64_t took = now_ns() - off;
  switched(took);
  send_recording(wire::RecordingAct::Off, off, level, took);
  deliver(level);
}

}  // namespace

void stop_recording(std::uint32_t level) { stop_recording(level, false); }
void stop_all_recording(std::uint32_t level) { stop_recording(level, true); }

void begin_records_anew() {
  read_completed();  // with nobody to send them to
  for (Buffer& buffer : buffers) buffer.left_over = buffer.place.load(std::memory_order_acquire) == Place::Out;
  recorded = recorded_before = {};
  now_epoch = last_epoch = {};
  operations_seen = false;
  unsent_count = 0;
  delivered_ns = first_work = 0;
  all_on = false;
  context_ids[0] = context_ids[1] = 0;
}

bool kinds_on() { return all_on; }

void release_kinds() {
  // Before its update 1, CUDA 13.0 may hang in this, or crash in a flush.
  if (cupti.version < kMayBeToggled) return;
  for (const ActivityKind& kind : kKinds) {
    if (kind.stays && kind.kind != CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) cupti.disable(kind.kind);
  }
  all_on = false;
}

void forget_records() {
  read_completed();
  for (std::uint32_t i = 0; i < kBuffers; ++i) {
    if (buffers[i].place.load(std::memory_order_acquire) != Place::Out) continue;
    std::memset(data_of(i), 0, kBufferBytes);
    buffers[i].place.store(Place::Free, std::memory_order_release);
    push_free(i);
  }
  all_on = false;
}

std::uint32_t contexts_seen() { return (context_ids[0] != 0) + (context_ids[1] != 0); }

void send_away(std::int64_t from_ns, std::int64_t to_ns, std::int64_t held_up_ns) {
  send_recording(wire::RecordingAct::Away, to_ns, 0, to_ns - from_ns, false, held_up_ns);
}

void stop_kernels() { cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); }

void read_completed() {
  std::uint32_t i = completed_top.exchange(kNoBuffer, std::memory_order_acquire);
  if (i == kNoBuffer) return;
  compare_clocks();
  std::uint32_t oldest = kNoBuffer;  // oldest first
  while (i != kNoBuffer) {
    const std::uint32_t next = buffers[i].next.load(kRelaxed);
    buffers[i].next.store(oldest, kRelaxed);
    oldest = i;
    i = next;
  }
  const std::int64_t now = now_ns();
  while (oldest != kNoBuffer) {
    Buffer& buffer = buffers[oldest];
    const std::uint32_t next = buffer.next.load(kRelaxed);
    const std::size_t valid = buffer.valid.load(kRelaxed);
    if (now_epoch.known) {
      CUpti_Activity* record = nullptr;
      while (cupti.get_next_record(data_of(oldest), valid, &record) == CUPTI_SUCCESS && record) {
        send_record(*record, now);
      }
    }
    std::memset(data_of(oldest), 0, valid);
    buffer.left_over = false;
    buffer.place.store(Place::Free, std::memory_order_release);
    push_free(oldest);
    oldest = next;
  }
}

bool deliver(std::uint32_t level, bool forced) {
  const std::int64_t asked = now_ns();
  cupti.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  // Looked at before the completed ones are read: one that comes back in between counts as out.
  const std::int64_t oldest = oldest_out_ns(recorded.from);
  read_completed();
  std::int64_t until = (forced ? asked : asked - kWrittenAfter);
  if (oldest != 0 && oldest - kWrittenAfter < until) until = oldest - kWrittenAfter;
  if (until > delivered_ns) {
    delivered_ns = until;
    send_recording(wire::RecordingAct::Delivered, until, level, 0);
  }
  return delivered_ns > recorded.to;
}

void look_after_records() {
  compare_clocks();
  std::size_t dropped = 0;
  if (cupti.get_dropped(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0)
    count(ring.status().cupti_dropped, dropped);
}

void Silence::look(std::int64_t now) {
  constexpr std::int64_t kLong = kSecond;
  constexpr std::uint64_t kMany = 100;  // launches
  const std::uint64_t launches = add_up_counts(), moves = buffers_moved();
  const std::uint64_t no_buffer = ring.status().no_buffer.load(kRelaxed);
  const bool said = ring.status().state.load(kRelaxed) == static_cast<std::uint32_t>(wire::State::NoRecords);
  if (moves != moved_) {
    silent_ns_ = 0;
    silent_launches_ = 0;
    no_buffer_ = no_buffer;
    if (said) set_state(wire::State::Watching, "the records come again");
  } else {
    silent_ns_ += now - from_;
    silent_launches_ += launches - launches_;
    if (!said && silent_ns_ > kLong && silent_launches_ > kMany) {
      set_state(wire::State::NoRecords,
                no_buffer != no_buffer_
                    ? "CUPTI keeps all buffers for its records and gives none back: waits are still seen"
                    : "another profiler in this program (torch.profiler?) has taken CUPTI's records over: waits are "
                      "still seen");
    }
  }
  moved_ = moves;
  launches_ = launches;
  from_ = now;
}

}  // namespace lanescope::inject
