// CUPTI and a GPU without either: the functions of CUPTI that the library for attached programs uses, and fake_...
// functions that a Python script calls instead of CUDA. Each of these is what CUPTI would see of an API call: callbacks
// on the calling thread at its start and end, a driver's call within a runtime's, and later a record of what the GPU
// did. Buffers behave as in CUPTI: a record takes its place at the launch, and a buffer comes back when all of its
// records are complete.
//   FAKE_CUPTI_RESULT   what cuptiSubscribe answers; 0 or not set: success
//   FAKE_CUPTI_HOLDER   the name of the other subscriber
//   FAKE_CUPTI_SPIN     1: waits spin instead of sleeping
//   FAKE_CUPTI_STAYS    cuptiFinalize refuses
//   FAKE_CUPTI_KERNELS  what enabling kernels answers; 0 or not set: success
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::uint64_t kLatency = 5'000;  // from a launch to its kernel's start, at least
constexpr std::size_t kIds = 2048;

std::uint64_t clock_of(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

struct Buffer {
  std::uint8_t* data = nullptr;
  std::size_t size = 0, used = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> ends;  // a record's offset, and when it is complete
};

struct Gpu {
  std::mutex mutex;
  std::map<std::uint32_t, std::uint64_t> stream_end;
  std::set<int> kinds;
  std::deque<Buffer> buffers;  // handed out, oldest first; the last one is being filled
  std::set<std::string> names;
  std::size_t dropped = 0;
  std::uint32_t next_event = 0;
  std::map<std::uint32_t, std::uint64_t> events;
};
Gpu& gpu() {
  static Gpu* g = new Gpu;  // a thread may still use it at exit
  return *g;
}

std::atomic<CUpti_CallbackFunc> callback = nullptr;  // may end while a call is made: then that one is told
void* callback_data = nullptr;
std::atomic<bool> enabled[2][kIds];
std::atomic<bool> state_enabled{false}, resource_enabled{false};
bool asked[2][kIds];  // what the library believes is enabled; it switches from one thread at a time
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::atomic<std::uint32_t> last_correlation{0};
// As CUPTI 13.0 does if synchronisations are switched off during a call: all later ones have the number of that one.
std::atomic<std::uint32_t> calls_open{0}, stuck_at{0};
std::atomic<std::int64_t> clock_step{0};
std::atomic<int> flushes{0}, finalized{0}, long_waits{0};
std::atomic<bool> graphs_made{false}, graphs_broken{false}, capturing{false}, capture_in_flush{false}, held{false},
    may_switch_copies{false};
std::atomic<void (*)()> in_flush = nullptr;

// What a test preloads to count allocations and locks.
using Mark = void (*)();
Mark mark_begin = nullptr, mark_end = nullptr;

std::uint64_t stamp() { return clock_of(CLOCK_REALTIME) + static_cast<std::uint64_t>(clock_step.load()); }

const char* name_of(bool driver, std::uint32_t id) {
  if (driver) {
    switch (id) {
      case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
        return "cuLaunchKernel";
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
        return "cuMemcpyDtoHAsync_v2";
      case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
        return "cuStreamSynchronize";
      default:
        return "cuOther";
    }
  }
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
      return "cudaLaunchKernel_v7000";
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020:
      return "cudaMemcpyAsync_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020:
      return "cudaMemcpy_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020:
      return "cudaMemsetAsync_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020:
      return "cudaStreamSynchronize_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020:
      return "cudaDeviceSynchronize_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020:
      return "cudaEventRecord_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020:
      return "cudaEventSynchronize_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020:
      return "cudaMalloc_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020:
      return "cudaFree_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000:
      return "cudaGraphLaunch_v10000";
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000:
      return "cudaStreamBeginCapture_v10000";
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000:
      return "cudaStreamEndCapture_v10000";
    case CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020:
      return "cudaGetDevice_v3020";
    case CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreate_v3020:
      return "cudaStreamCreate_v3020";
    default:
      return "cudaOther";
  }
}

// `epoch`: how often CUPTI had been finalised when the call got its number; nobody is told that it begins after that.
void call_back(bool driver, std::uint32_t id, std::uint32_t correlation, CUpti_ApiCallbackSite site, int* result,
               int epoch = finalized) {
  const CUpti_CallbackFunc told = callback;
  if (!told || !enabled[driver][id].load(std::memory_order_relaxed)) return;
  if (site == CUPTI_API_ENTER && epoch != finalized) return;
  CUpti_CallbackData data{};
  std::uint64_t kept = 0;
  data.callbackSite = site;
  data.functionName = name_of(driver, id);
  data.functionReturnValue = site == CUPTI_API_EXIT ? result : nullptr;
  data.correlationId = correlation;
  data.correlationData = &kept;
  if (mark_begin) mark_begin();
  told(callback_data, driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, id, &data);
  if (mark_end) mark_end();
}

// An API call from its start to its end.
class Call {
 public:
  Call(bool driver, std::uint32_t id, int result = 0)
      : driver_(driver), id_(id), result_(result), correlation(stuck_at != 0 ? stuck_at.load() : ++last_correlation) {
    ++calls_open;
    call_back(driver_, id_, correlation, CUPTI_API_ENTER, &result_, epoch_);
  }
  ~Call() {
    call_back(driver_, id_, correlation, CUPTI_API_EXIT, &result_);
    --calls_open;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  bool driver_;
  std::uint32_t id_;
  int result_;
  int epoch_ = finalized;

 public:
  const std::uint32_t correlation;
};

// The driver's call that a call of the runtime makes.
void nested(std::uint32_t id, std::uint32_t correlation) {
  int result = 0;
  call_back(true, id, correlation, CUPTI_API_ENTER, &result);
  call_back(true, id, correlation, CUPTI_API_EXIT, &result);
}

std::size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return sizeof(CUpti_ActivityCudaEvent2);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return sizeof(CUpti_ActivityContext3);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    default:
      return 0;
  }
}

// Gives back the buffers that are complete; `forced`: all. Called with the mutex held, which is released for the
// callback, as CUPTI holds no lock there.
void give_back(std::unique_lock<std::mutex>& lock, bool forced) {
  const std::uint64_t now = stamp();
  auto& buffers = gpu().buffers;
  for (;;) {
    auto it = std::find_if(buffers.begin(), buffers.end(), [&](const Buffer& b) {
      return !b.ends.empty() &&
             (forced || std::all_of(b.ends.begin(), b.ends.end(), [&](const auto& e) { return e.second <= now; }));
    });
    if (it == buffers.end()) return;
    const Buffer b = *it;
    buffers.erase(it);
    lock.unlock();
    complete(nullptr, 0, b.data, b.size, b.used);
    lock.lock();
  }
}

// As CUPTI 13.0 does if kernels are switched off while many are queued: their buffers do not come back.
void lose_queued_kernels() {
  constexpr std::ptrdiff_t kMany = 50;
  const std::lock_guard lock(gpu().mutex);
  for (Buffer& b : gpu().buffers) {
    const auto queued = std::count_if(b.ends.begin(), b.ends.end(), [](const auto& e) { return e.second > stamp(); });
    if (queued > kMany) b.ends.back().second = std::numeric_limits<std::uint64_t>::max();
  }
}

template <typename Record>
void record(Record& r, std::uint64_t end) {
  Gpu& g = gpu();
  std::unique_lock lock(g.mutex);
  if (!request || g.kinds.count(r.kind) == 0) return;
  if (g.buffers.empty() || g.buffers.back().used + sizeof(Record) > g.buffers.back().size) {
    const CUpti_BuffersCallbackRequestFunc asked_of = request;
    const int before = finalized;
    lock.unlock();
    Buffer b;
    std::size_t most = 0;
    if (mark_begin) mark_begin();
    asked_of(&b.data, &b.size, &most);
    if (mark_end) mark_end();
    lock.lock();
    if (finalized != before) return;
    if (!b.data || b.size < sizeof(Record)) {
      ++g.dropped;
      return;
    }
    g.buffers.push_back(b);
  }
  Buffer& b = g.buffers.back();
  std::memcpy(b.data + b.used, &r, sizeof(Record));
  b.ends.emplace_back(b.used, end);
  b.used += sizeof(Record);
}

const char* kept_name(const char* name) {
  Gpu& g = gpu();
  const std::lock_guard lock(g.mutex);
  return g.names.insert(name).first->c_str();
}

// Puts an operation behind what its stream has; returns its start and end.
std::pair<std::uint64_t, std::uint64_t> enqueue(std::uint32_t stream, std::uint64_t duration) {
  Gpu& g = gpu();
  const std::lock_guard lock(g.mutex);
  std::uint64_t& end = g.stream_end[stream];
  const std::uint64_t start = std::max(end, stamp() + kLatency);
  end = start + duration;
  return {start, end};
}
std::uint64_t end_of(std::uint32_t stream) {
  Gpu& g = gpu();
  const std::lock_guard lock(g.mutex);
  return g.stream_end[stream];
}
std::uint64_t end_of_all() {
  Gpu& g = gpu();
  const std::lock_guard lock(g.mutex);
  std::uint64_t end = 0;
  for (const auto& [stream, e] : g.stream_end) end = std::max(end, e);
  return end;
}
void wait_until(std::uint64_t end) {
  // Of a long wait, all but its edges counts, so that whoever looks first and then finalises is not wronged.
  constexpr std::uint64_t kEdge = 500'000'000;
  if (const std::uint64_t now = stamp(); end > now + 3 * kEdge) {
    wait_until(now + kEdge);
    ++long_waits;
    for (std::uint64_t at = stamp(); at + kEdge < end; at += kEdge) wait_until(at + kEdge);
    --long_waits;
  }
  static const bool spin = std::getenv("FAKE_CUPTI_SPIN") != nullptr;
  for (std::uint64_t now = stamp(); now < end; now = stamp()) {
    if (spin || end - now < 20'000) continue;
    const timespec nap{static_cast<time_t>((end - now) / 1'000'000'000),
                       static_cast<long>((end - now) % 1'000'000'000)};
    nanosleep(&nap, nullptr);
  }
}

std::atomic<std::uint32_t> device{0};

void kernel(const char* name, std::uint64_t duration, std::uint32_t stream, std::uint32_t correlation,
            std::uint64_t node = 0) {
  const auto [start, end] = enqueue(stream, duration);
  CUpti_ActivityKernel10 k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = start;
  k.end = end;
  k.deviceId = device;
  k.contextId = 1;
  k.streamId = stream;
  k.gridX = 32, k.gridY = k.gridZ = 1;
  k.blockX = 256, k.blockY = k.blockZ = 1;
  k.registersPerThread = 40;
  k.dynamicSharedMemory = 1024;
  k.correlationId = correlation;
  k.name = kept_name(name);
  k.graphNodeId = node;
  record(k, end);
}

void waited(std::uint32_t type, std::uint64_t start, std::uint32_t correlation, std::uint32_t stream,
            std::uint64_t event = 0) {
  CUpti_ActivitySynchronization2 s{};
  s.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  s.type = static_cast<CUpti_ActivitySynchronizationType>(type);
  s.start = start;
  s.end = stamp();
  s.correlationId = correlation;
  s.contextId = 1;
  s.streamId = stream;
  s.cudaEventSyncId = event;
  record(s, s.end);
}

std::uint32_t launch(const char* name, std::uint64_t duration, std::uint32_t stream) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  nested(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, call.correlation);
  kernel(name, duration, stream, call.correlation);
  return call.correlation;
}

std::uint32_t sync_stream(std::uint32_t stream, int result = 0) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, result);
  const std::uint64_t start = stamp();
  wait_until(end_of(stream));
  waited(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, start, call.correlation, stream);
  return call.correlation;
}

// The thread that is in cuInit; 0: none.
int thread_in_init() {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return 0;
  const auto* thread = static_cast<const std::atomic<int>*>(dlsym(driver, "fake_initialising"));
  const int found = thread ? thread->load() : 0;
  dlclose(driver);
  return found;
}

CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data) {
  const char* result = std::getenv("FAKE_CUPTI_RESULT");
  if (result && std::atoi(result) != 0) return static_cast<CUptiResult>(std::atoi(result));
  const std::lock_guard lock(gpu().mutex);
  if (held) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  mark_begin = reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, "count_begin"));
  mark_end = reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, "count_end"));
  callback = function;
  callback_data = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&callback);
  return CUPTI_SUCCESS;
}

}  // namespace

// --- CUPTI -----------------------------------------------------------------------------------------------------------

EXPORT CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  *time = stamp();
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data) {
  return subscribe(handle, function, data);
}
EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data,
                                     CUpti_SubscriberParams* params) {
  const CUptiResult result = subscribe(handle, function, data);
  const char* holder = held ? "torch.profiler" : std::getenv("FAKE_CUPTI_HOLDER");
  if (result != CUPTI_SUCCESS && holder && params->oldSubscriberName) {
    std::strncpy(params->oldSubscriberName, holder, params->oldSubscriberSize);
  }
  return result;
}
EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  callback = nullptr;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                       CUpti_CallbackId id) {
  if (domain == CUPTI_CB_DOMAIN_STATE) {
    state_enabled = on != 0;
    return CUPTI_SUCCESS;
  }
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    if (id == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED) resource_enabled = on != 0;
    return CUPTI_SUCCESS;
  }
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API)
    return CUPTI_ERROR_INVALID_PARAMETER;
  const std::uint32_t most = domain == CUPTI_CB_DOMAIN_DRIVER_API ? std::uint32_t{CUPTI_DRIVER_TRACE_CBID_SIZE}
                                                                  : std::uint32_t{CUPTI_RUNTIME_TRACE_CBID_SIZE};
  if (id == 0 || id >= most) return CUPTI_ERROR_INVALID_PARAMETER;
  // As the real one seems to do on a busy machine: what another thread switches on during cuInit has no effect, also
  // not when it is switched on once more.
  bool& known = asked[domain == CUPTI_CB_DOMAIN_DRIVER_API][id];
  if (known == (on != 0)) return CUPTI_SUCCESS;
  known = on != 0;
  const int initialising = thread_in_init();
  if (initialising != 0 && initialising != gettid()) return CUPTI_SUCCESS;
  enabled[domain == CUPTI_CB_DOMAIN_DRIVER_API][id] = on != 0;
  return CUPTI_SUCCESS;
}
EXPORT void fake_init_finished() {
  if (const CUpti_CallbackFunc told = callback; told && resource_enabled) {
    const CUpti_ResourceData data{};
    told(callback_data, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, &data);
  }
}
EXPORT CUptiResult cuptiEnableDomain(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain) {
  for (auto& e : enabled[domain == CUPTI_CB_DOMAIN_DRIVER_API]) e = on != 0;
  for (auto& a : asked[domain == CUPTI_CB_DOMAIN_DRIVER_API]) a = on != 0;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  *name = name_of(domain == CUPTI_CB_DOMAIN_DRIVER_API, id);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                                                   : "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                  CUpti_BuffersCallbackCompleteFunc completed) {
  const std::lock_guard lock(gpu().mutex);
  request = requested;
  complete = completed;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const char* answer = std::getenv("FAKE_CUPTI_KERNELS"); answer && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    if (std::atoi(answer) != 0) return static_cast<CUptiResult>(std::atoi(answer));
  }
  const std::lock_guard lock(gpu().mutex);
  gpu().kinds.insert(kind);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  cuptiActivityEnable(kind);
  if (kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
    CUpti_ActivityContext3 c{};
    c.kind = kind;
    c.contextId = 1;
    c.deviceId = device;
    c.nullStreamId = 7;
    record(c, 0);
  } else if (kind == CUPTI_ACTIVITY_KIND_STREAM) {
    for (const std::uint32_t id : {7u, 13u}) {
      CUpti_ActivityStream s{};
      s.kind = kind;
      s.contextId = 1;
      s.streamId = id;
      s.flag = id == 7 ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
      record(s, 0);
    }
  } else if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
    CUpti_ActivityDevice5 d{};
    d.kind = kind;
    d.name = "Fake GPU";
    d.id = device;
    for (int i = 0; i < 16; ++i) d.uuid.bytes[i] = static_cast<char>(i + 1);
    record(d, 0);
  }
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  // The real one may free memory twice then, and end the program; when our own loop has ended it never did.
  for (const auto copies : {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (kind != copies || graphs_made || may_switch_copies || std::getenv("FAKE_CUPTI_STAYS")) continue;
    std::fputs("copies are switched off beside running work\n", stderr);
    std::abort();
  }
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) lose_queued_kernels();
  if (kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION && calls_open > 0 && stuck_at == 0 && !may_switch_copies)
    stuck_at = last_correlation.load();
  const std::lock_guard lock(gpu().mutex);
  gpu().kinds.erase(kind);
  return CUPTI_SUCCESS;
}
/// Takes everything out of the process; numbers begin anew. What was instantiated before cannot be replayed any more.
EXPORT CUptiResult cuptiFinalize() {
  if (std::getenv("FAKE_CUPTI_STAYS")) return CUPTI_ERROR_UNKNOWN;
  if (long_waits > 0) {
    std::fputs("finalised while a thread is in a call\n", stderr);
    std::abort();
  }
  if (capturing) {
    std::fputs("finalised while a graph is captured\n", stderr);
    std::abort();
  }
  for (int d = 0; d < 2; ++d) {
    for (auto& e : enabled[d]) e = false;
    for (bool& a : asked[d]) a = false;
  }
  state_enabled = resource_enabled = false;
  const std::lock_guard lock(gpu().mutex);
  callback = nullptr;
  request = nullptr;
  complete = nullptr;
  gpu().kinds.clear();
  gpu().buffers.clear();
  last_correlation = 0;
  graphs_broken = graphs_made.load();
  ++finalized;
  return CUPTI_SUCCESS;
}
EXPORT void fake_driver_version() { const Call call(true, CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion); }
EXPORT int fake_finalized() { return finalized; }
EXPORT CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  ++flushes;
  if (const auto meanwhile = in_flush.load()) meanwhile();
  if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED && capture_in_flush.exchange(false)) {
    std::thread([] {
      const Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000);
      capturing = graphs_made = true;
    }).join();
  }
  std::unique_lock lock(gpu().mutex);
  if (complete) give_back(lock, flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* at = buffer;
  if (*record) at = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
  if (at + sizeof(CUpti_Activity) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* next = reinterpret_cast<CUpti_Activity*>(at);
  if (size_of(next->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  if (at + size_of(next->kind) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = next;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(gpu().mutex);
  *dropped = gpu().dropped;
  gpu().dropped = 0;
  return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute, std::size_t*, void*) { return CUPTI_SUCCESS; }
EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(std::uint8_t) { return CUPTI_SUCCESS; }

// --- What a script calls. Each returns the correlation of its call.
// ---------------------------------------------------

EXPORT std::uint32_t fake_launch(const char* name, std::uint64_t duration_ns, std::uint32_t stream) {
  return launch(name, duration_ns, stream);
}
/// As Triton and cuBLAS launch: through the driver alone.
EXPORT std::uint32_t fake_driver_launch(const char* name, std::uint64_t duration_ns, std::uint32_t stream) {
  Call call(true, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  kernel(name, duration_ns, stream, call.correlation);
  return call.correlation;
}
EXPORT std::uint32_t fake_graph_launch(const char* name, std::uint32_t nodes, std::uint64_t duration_ns,
                                       std::uint32_t stream) {
  graphs_made = true;
  if (graphs_broken) {
    std::fputs("a graph that was made before cuptiFinalize is replayed: unspecified launch failure\n", stderr);
    std::abort();
  }
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
  for (std::uint32_t i = 0; i < nodes; ++i) kernel(name, duration_ns, stream, call.correlation, 1000 + i);
  return call.correlation;
}
/// The next forced flush, the last before CUPTI would be finalised, begins a capture in another thread.
EXPORT void fake_capture_in_flush() { capture_in_flush = true; }
/// kind: 1 H2D, 2 D2H, 8 D2D. A blocking copy waits for its stream and itself.
EXPORT std::uint32_t fake_memcpy(std::uint32_t kind, std::uint64_t bytes, std::uint64_t duration_ns,
                                 std::uint32_t stream, int blocks) {
  Call call(false, blocks ? std::uint32_t{CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020}
                          : std::uint32_t{CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020});
  const auto [start, end] = enqueue(stream, duration_ns);
  CUpti_ActivityMemcpy6 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  m.copyKind = static_cast<std::uint8_t>(kind);
  m.srcKind = kind == 1 ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  m.dstKind = kind == 2 ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  m.flags = blocks ? 0 : CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  m.bytes = bytes;
  m.start = start;
  m.end = end;
  m.deviceId = device;
  m.contextId = 1;
  m.streamId = stream;
  m.correlationId = call.correlation;
  record(m, end);
  if (blocks) wait_until(end);
  return call.correlation;
}
EXPORT std::uint32_t fake_memset(std::uint64_t bytes, std::uint64_t duration_ns, std::uint32_t stream) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020);
  const auto [start, end] = enqueue(stream, duration_ns);
  CUpti_ActivityMemset4 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  m.bytes = bytes;
  m.start = start;
  m.end = end;
  m.deviceId = device;
  m.contextId = 1;
  m.streamId = stream;
  m.correlationId = call.correlation;
  m.flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC;
  m.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  record(m, end);
  return call.correlation;
}
EXPORT std::uint32_t fake_sync(std::uint32_t stream) { return sync_stream(stream); }
/// A synchronisation that reports an error.
EXPORT std::uint32_t fake_failing_sync(int result) { return sync_stream(7, result); }
EXPORT std::uint32_t fake_device_sync() {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  const std::uint64_t start = stamp();
  wait_until(end_of_all());
  waited(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, start, call.correlation,
         CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  return call.correlation;
}
/// Records an event; returns its number, for fake_event_sync.
EXPORT std::uint32_t fake_event_record(std::uint32_t stream) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020);
  const std::uint64_t end = end_of(stream);
  CUpti_ActivityCudaEvent2 e{};
  e.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  e.correlationId = call.correlation;
  e.contextId = 1;
  e.streamId = stream;
  {
    const std::lock_guard lock(gpu().mutex);
    gpu().events[++gpu().next_event] = end;
    e.eventId = gpu().next_event;
    e.cudaEventSyncId = gpu().next_event;
  }
  record(e, 0);
  return e.eventId;
}
EXPORT std::uint32_t fake_event_sync(std::uint32_t event) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020);
  const std::uint64_t start = stamp();
  std::uint64_t end = 0;
  {
    const std::lock_guard lock(gpu().mutex);
    end = gpu().events[event];
  }
  wait_until(end);
  waited(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, start, call.correlation,
         CUPTI_SYNCHRONIZATION_INVALID_VALUE, event);
  return call.correlation;
}
EXPORT std::uint32_t fake_malloc(std::uint64_t) {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  return call.correlation;
}
EXPORT std::uint32_t fake_free() {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020);
  return call.correlation;
}
/// What follows is done by this GPU.
EXPORT void fake_set_device(std::uint32_t number) { device = number; }
/// One of the calls that frameworks make a hundred times an iteration.
EXPORT std::uint32_t fake_get_device() {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020);
  return call.correlation;
}
EXPORT std::uint32_t fake_stream_create() {
  Call call(false, CUPTI_RUNTIME_TRACE_CBID_cudaStreamCreate_v3020);
  return call.correlation;
}

namespace {
struct Backward {
  const char* name;
  std::uint32_t launches;
  std::uint64_t duration_ns;
  std::uint32_t correlation;
};
}  // namespace
/// As PyTorch's backward(): the calling thread waits while a thread without Python launches and synchronises. Returns
/// the correlation of the synchronisation.
EXPORT std::uint32_t fake_backward(const char* name, std::uint32_t launches, std::uint64_t duration_ns) {
  Backward backward{name, launches, duration_ns, 0};
  pthread_t thread;
  const auto run = [](void* data) -> void* {
    pthread_setname_np(pthread_self(), "pt_autograd_0");
    auto& b = *static_cast<Backward*>(data);
    for (std::uint32_t i = 0; i < b.launches; ++i) launch(b.name, b.duration_ns, 7);
    b.correlation = sync_stream(7);
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, run, &backward) != 0) return 0;
  pthread_join(thread, nullptr);
  return backward.correlation;
}

// --- What a test steers and asks.
// -------------------------------------------------------------------------------------

/// Sets the clock of CUPTI forward.
EXPORT void fake_step_clock(std::int64_t ns) { clock_step += ns; }
/// The buffer that is being filled has a record that is never complete, and gets no more records.
EXPORT void fake_lose_buffer() {
  const std::lock_guard lock(gpu().mutex);
  if (gpu().buffers.empty()) return;
  Buffer& b = gpu().buffers.back();
  b.ends.emplace_back(b.used, UINT64_MAX);
  b.size = b.used;
}
/// The program records its own loops: all is switched off after each.
EXPORT void fake_records_itself() { may_switch_copies = true; }
/// Called in each flush, with no lock; null: nothing.
EXPORT void fake_in_flush(void (*meanwhile)()) { in_flush = meanwhile; }
/// Another profiler takes the buffers over, as Kineto does.
EXPORT void fake_take_over() {
  static std::uint8_t theirs[1 << 20];
  cuptiActivityRegisterCallbacks(
      [](std::uint8_t** data, std::size_t* size, std::size_t*) {
        *data = theirs;
        *size = sizeof(theirs);
      },
      [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {});
}
/// Another profiler subscribes: 1 if it could, because nobody else had. Until fake_let_go(), nobody else can.
EXPORT int fake_hold() {
  const std::lock_guard lock(gpu().mutex);
  if (!callback) held = true;
  return held;
}
EXPORT void fake_let_go() { held = false; }
EXPORT std::uint32_t fake_kinds_enabled() {
  const std::lock_guard lock(gpu().mutex);
  return static_cast<std::uint32_t>(gpu().kinds.size());
}
EXPORT std::uint32_t fake_callbacks_enabled() {
  std::uint32_t n = 0;
  for (auto& domain : enabled) {
    for (auto& e : domain) n += e;
  }
  return callback ? n : 0;
}
EXPORT int fake_flushes() { return flushes; }
/// CUPTI reports that it cannot go on.
EXPORT void fake_fatal(const char* message) {
  const CUpti_CallbackFunc told = callback;
  if (!told || !state_enabled) return;
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_UNKNOWN;
  data.notification.message = message;
  told(callback_data, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
}
/// Nanoseconds of this thread's CPU time per pair of callbacks: on a shared machine, wall-clock time would mostly
/// measure the other programs. Median of `rounds` rounds of `calls` synchronisations that wait for nothing.
EXPORT double fake_callback_ns(std::uint32_t rounds, std::uint32_t calls) {
  std::vector<double> times;
  const auto id = static_cast<std::uint32_t>(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
  int result = 0;
  for (std::uint32_t r = 0; r < rounds; ++r) {
    const std::uint64_t start = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (std::uint32_t i = 0; i < calls; ++i) {
      const std::uint32_t correlation = ++last_correlation;
      call_back(false, id, correlation, CUPTI_API_ENTER, &result);
      call_back(false, id, correlation, CUPTI_API_EXIT, &result);
    }
    times.push_back(static_cast<double>(clock_of(CLOCK_THREAD_CPUTIME_ID) - start) / calls);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}
