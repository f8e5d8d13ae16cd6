// Hand-made activity buffers from CUPTI's own structs, and the functions that read them: the real ones, if the machine
// has a libcupti of the headers' version.
#pragma once

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "base/time.h"
#include "capture/cupti/cupti_table.h"

namespace lanescope::capture::cupti::test {

using base::Nanoseconds;

/// The offset of the tests' CUPTI clock from the trace's.
inline constexpr std::uint64_t kAhead = 1'700'000'000'000'000'000;

inline std::uint64_t stamp(Nanoseconds trace_ns) { return kAhead + static_cast<std::uint64_t>(trace_ns); }

/// The runtime functions used by the tests.
enum class Api : std::uint32_t {
  Memcpy = CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020,
  MemcpyAsync = CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
  MemsetAsync = CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
  Launch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
  GraphLaunch = CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
  HostFunc = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000,
  StreamSync = CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
  EventSync = CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
  DeviceSync = CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
  EventRecord = CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020,
  Malloc = CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
  Free = CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
  BeginCapture = CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000,
  EndCapture = CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000,
};
inline constexpr std::uint32_t kDriverLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;

inline constexpr std::uint32_t kThread = 4711;
inline constexpr std::uint32_t kContext = 1;
inline constexpr std::uint32_t kStream = 7;  // the default one, as CUPTI numbers it

struct Launched {
  std::int32_t grid = 0, block = 0;
  std::uint16_t registers = 0;
  std::int32_t static_shared = 0, dynamic_shared = 0;
};
struct Where {
  std::uint32_t stream = kStream;
  std::uint32_t device = 0;
  std::uint32_t context = kContext;
};
struct CopyOf {
  std::uint8_t kind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  std::uint8_t from = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  std::uint8_t to = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  std::uint64_t bytes = 1024;
  bool asynchronous = true;
};

class Buffer {
 public:
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
  std::size_t size() const { return words_.size() * sizeof(std::uint64_t); }
  void clear() { words_.clear(); }

  template <typename T>
  Buffer& add(const T& record) {
    static_assert(sizeof(T) % sizeof(std::uint64_t) == 0);
    const std::size_t at = words_.size();
    words_.resize(at + sizeof(T) / sizeof(std::uint64_t));
    std::memcpy(words_.data() + at, &record, sizeof(T));
    return *this;
  }
  Buffer& add(const Buffer& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
    return *this;
  }

  Buffer& raw_call(CUpti_ActivityKind kind, std::uint32_t cbid, std::uint64_t start, std::uint64_t end,
                   std::uint32_t correlation, std::uint32_t thread = kThread, std::uint32_t result = 0) {
    CUpti_ActivityAPI api{};
    api.kind = kind;
    api.cbid = static_cast<CUpti_CallbackId>(cbid);
    api.start = start;
    api.end = end;
    api.threadId = thread;
    api.correlationId = correlation;
    api.returnValue = result;
    return add(api);
  }
  Buffer& call(Api api, Nanoseconds start, Nanoseconds end, std::uint32_t correlation, std::uint32_t thread = kThread,
               std::uint32_t result = 0) {
    return raw_call(CUPTI_ACTIVITY_KIND_RUNTIME, static_cast<std::uint32_t>(api), stamp(start), stamp(end), correlation,
                    thread, result);
  }
  Buffer& driver_launch(Nanoseconds start, Nanoseconds end, std::uint32_t correlation, std::uint32_t thread = kThread) {
    return raw_call(CUPTI_ACTIVITY_KIND_DRIVER, kDriverLaunch, stamp(start), stamp(end), correlation, thread);
  }
  Buffer& raw_kernel(const char* name, std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
                     const Where& where = {}, const Launched& launched = {}) {
    auto kernel =
        operation<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, start, end, correlation, where);
    kernel.gridX = launched.grid;
    kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = launched.block;
    kernel.blockY = kernel.blockZ = 1;
    kernel.registersPerThread = launched.registers;
    kernel.staticSharedMemory = launched.static_shared;
    kernel.dynamicSharedMemory = launched.dynamic_shared;
    kernel.name = name;
    return add(kernel);
  }
  Buffer& kernel(const char* name, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                 const Where& where = {}, const Launched& launched = {}) {
    return raw_kernel(name, stamp(start), stamp(end), correlation, where, launched);
  }
  Buffer& copy(const CopyOf& of, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
               const Where& where = {}) {
    auto copy =
        operation<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, stamp(start), stamp(end), correlation, where);
    copy.copyKind = of.kind;
    copy.srcKind = of.from;
    copy.dstKind = of.to;
    copy.flags = of.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : 0;
    copy.bytes = of.bytes;
    copy.copyCount = 1;
    return add(copy);
  }
  Buffer& peer_copy(std::uint64_t bytes, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                    const Where& where = {}) {
    auto copy =
        operation<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2, stamp(start), stamp(end), correlation, where);
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    copy.srcKind = copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.bytes = bytes;
    return add(copy);
  }
  Buffer& memset(std::uint64_t bytes, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                 const Where& where = {}) {
    auto memset =
        operation<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, stamp(start), stamp(end), correlation, where);
    memset.bytes = bytes;
    memset.flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
    memset.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    return add(memset);
  }
  Buffer& sync(CUpti_ActivitySynchronizationType type, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
               std::uint32_t stream = CUPTI_SYNCHRONIZATION_INVALID_VALUE,
               std::uint64_t event_number = CUPTI_SYNCHRONIZATION_INVALID_VALUE) {
    CUpti_ActivitySynchronization2 sync{};
    sync.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    sync.type = type;
    sync.start = stamp(start);
    sync.end = stamp(end);
    sync.correlationId = correlation;
    sync.contextId = kContext;
    sync.streamId = stream;
    sync.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    sync.cudaEventSyncId = event_number;
    return add(sync);
  }
  Buffer& gpu_event(std::uint64_t event_number, std::uint32_t correlation, std::uint32_t stream) {
    CUpti_ActivityCudaEvent2 event{};
    event.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
    event.correlationId = correlation;
    event.contextId = kContext;
    event.streamId = stream;
    event.cudaEventSyncId = event_number;
    return add(event);
  }
  Buffer& overhead(CUpti_ActivityOverheadKind kind, Nanoseconds start, Nanoseconds end, std::uint32_t thread,
                   std::uint32_t correlation = 0, void* data = nullptr) {
    CUpti_ActivityOverhead3 overhead{};
    overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    overhead.overheadKind = kind;
    overhead.objectKind = thread ? CUPTI_ACTIVITY_OBJECT_THREAD : CUPTI_ACTIVITY_OBJECT_UNKNOWN;
    overhead.objectId.pt.threadId = thread;
    overhead.start = stamp(start);
    overhead.end = stamp(end);
    overhead.correlationId = correlation;
    overhead.overheadData = data;
    return add(overhead);
  }
  Buffer& context(std::uint32_t id, std::uint32_t device, std::uint16_t null_stream) {
    CUpti_ActivityContext3 context{};
    context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    context.contextId = id;
    context.deviceId = device;
    context.nullStreamId = null_stream;
    return add(context);
  }
  Buffer& stream(std::uint32_t context, std::uint32_t id, CUpti_ActivityStreamFlag flag) {
    CUpti_ActivityStream stream{};
    stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
    stream.contextId = context;
    stream.streamId = id;
    stream.flag = flag;
    return add(stream);
  }
  /// A launch and its kernel.
  Buffer& launch(Nanoseconds call_start, Nanoseconds call_end, Nanoseconds kernel_start, Nanoseconds kernel_end,
                 std::uint32_t correlation, std::uint32_t stream = kStream) {
    call(Api::Launch, call_start, call_end, correlation);
    return kernel("k", kernel_start, kernel_end, correlation, {stream, 0, kContext});
  }

 private:
  template <typename Record>
  static Record operation(CUpti_ActivityKind kind, std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
                          const Where& where) {
    Record record{};
    record.kind = kind;
    record.start = start;
    record.end = end;
    record.correlationId = correlation;
    record.deviceId = where.device;
    record.contextId = where.context;
    record.streamId = where.stream;
    return record;
  }

  std::vector<std::uint64_t> words_;
};

// --- where there is no libcupti -----------------------------------------------------------------------------------

inline std::size_t record_size(std::uint32_t kind) {
  static const std::map<std::uint32_t, std::size_t> kSizes{
      {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI)},
      {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI)},
      {CUPTI_ACTIVITY_KIND_KERNEL, sizeof(CUpti_ActivityKernel10)},
      {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10)},
      {CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6)},
      {CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4)},
      {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4)},
      {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2)},
      {CUPTI_ACTIVITY_KIND_CUDA_EVENT, sizeof(CUpti_ActivityCudaEvent2)},
      {CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3)},
      {CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext3)},
      {CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream)},
      {CUPTI_ACTIVITY_KIND_NAME, sizeof(CUpti_ActivityName)}};
  const auto known = kSizes.find(kind);
  return known == kSizes.end() ? 0 : known->second;
}

inline CUptiResult CUPTIAPI walk(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) {
  std::uint8_t* next = buffer;
  if (*record) next = reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
  const std::size_t left = valid_bytes - static_cast<std::size_t>(next - buffer);
  if (left < sizeof(CUpti_Activity)) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  const std::size_t size = record_size(reinterpret_cast<CUpti_Activity*>(next)->kind);
  if (size == 0) return CUPTI_ERROR_INVALID_KIND;
  if (left < size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

inline CUptiResult CUPTIAPI name_call(CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name) {
  static const std::map<Api, const char*> kRuntime{{Api::Memcpy, "cudaMemcpy_v3020"},
                                                   {Api::MemcpyAsync, "cudaMemcpyAsync_v3020"},
                                                   {Api::MemsetAsync, "cudaMemsetAsync_v3020"},
                                                   {Api::Launch, "cudaLaunchKernel_v7000"},
                                                   {Api::GraphLaunch, "cudaGraphLaunch_v10000"},
                                                   {Api::HostFunc, "cudaLaunchHostFunc_v10000"},
                                                   {Api::StreamSync, "cudaStreamSynchronize_v3020"},
                                                   {Api::EventSync, "cudaEventSynchronize_v3020"},
                                                   {Api::DeviceSync, "cudaDeviceSynchronize_v3020"},
                                                   {Api::EventRecord, "cudaEventRecord_v3020"},
                                                   {Api::Malloc, "cudaMalloc_v3020"},
                                                   {Api::Free, "cudaFree_v3020"},
                                                   {Api::BeginCapture, "cudaStreamBeginCapture_v10000"},
                                                   {Api::EndCapture, "cudaStreamEndCapture_v10000"}};
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    if (cbid == kDriverLaunch) *name = "cuLaunchKernel";
  } else if (const auto known = kRuntime.find(static_cast<Api>(cbid)); known != kRuntime.end()) {
    *name = known->second;
  }
  return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/// Contains what the decoder needs; the real functions if available.
inline CuptiTable reading_table() {
  CuptiTable table;
  table.get_next_record = &walk;
  table.get_callback_name = &name_call;
  table.version = CUPTI_API_VERSION;
  table.path = "the tests' own";
  for (const char* path : {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"}) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) continue;
    std::uint32_t version = 0;
    const auto get_version = reinterpret_cast<decltype(&cuptiGetVersion)>(dlsym(library, "cuptiGetVersion"));
    // The buffers are made of this version's structs.
    if (!get_version || get_version(&version) != CUPTI_SUCCESS || version != CUPTI_API_VERSION) continue;
    table.get_next_record =
        reinterpret_cast<decltype(&cuptiActivityGetNextRecord)>(dlsym(library, "cuptiActivityGetNextRecord"));
    table.get_callback_name = reinterpret_cast<decltype(&cuptiGetCallbackName)>(dlsym(library, "cuptiGetCallbackName"));
    table.path = path;
    break;
  }
  return table;
}

}  // namespace lanescope::capture::cupti::test
