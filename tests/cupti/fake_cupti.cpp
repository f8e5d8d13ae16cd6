#include "cupti/fake_cupti.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <thread>

namespace lanescope::capture::cupti {
namespace {

std::atomic<FakeCupti*> g_fake_cupti{nullptr};

std::uint32_t fake_thread_id() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

}  // namespace

// The functions of the table.
struct FakeEntries {
  static FakeCupti& fake() { return *g_fake_cupti.load(); }

  static CUptiResult get_version(std::uint32_t* version) {
    *version = fake().version_;
    return CUPTI_SUCCESS;
  }
  static CUptiResult get_timestamp(std::uint64_t* now) {
    *now = fake().now();
    return CUPTI_SUCCESS;
  }
  static CUptiResult subscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*) {
    if (fake().subscribe_answer != CUPTI_SUCCESS) return fake().subscribe_answer;
    fake().note("subscribe");
    const std::lock_guard lock(fake().mutex_);
    if (fake().subscriber_) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    fake().subscriber_ = callback;
    *handle = reinterpret_cast<CUpti_SubscriberHandle>(&fake());
    return CUPTI_SUCCESS;
  }
  static CUptiResult subscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* user,
                                  CUpti_SubscriberParams* params) {
    if (params->structSize < CUpti_SubscriberParams_STRUCT_SIZE) return CUPTI_ERROR_INVALID_PARAMETER;
    if (fake().subscribe_answer != CUPTI_SUCCESS && params->oldSubscriberName) {
      std::strncpy(params->oldSubscriberName, fake().incumbent.c_str(), params->oldSubscriberSize);
    }
    if (std::string(params->subscriberName) != "Lanescope") return CUPTI_ERROR_INVALID_PARAMETER;
    return subscribe(handle, callback, user);
  }
  static CUptiResult unsubscribe(CUpti_SubscriberHandle) {
    fake().note("unsubscribe");
    const std::lock_guard lock(fake().mutex_);
    fake().subscriber_ = nullptr;
    fake().callbacks_.clear();
    return CUPTI_SUCCESS;
  }
  static CUptiResult enable_callback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                     CUpti_CallbackId id) {
    if (on && fake().callback_answer != CUPTI_SUCCESS) return fake().callback_answer;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && id == CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020) {
      fake().note(on ? "callbacks on" : "callbacks off");  // one of many stands for all
    }
    const std::lock_guard lock(fake().mutex_);
    if (on)
      fake().callbacks_.emplace(domain, id);
    else
      fake().callbacks_.erase({domain, id});
    return CUPTI_SUCCESS;
  }
  static CUptiResult enable_domain(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
    return CUPTI_SUCCESS;
  }
  static CUptiResult get_callback_name(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char** name) {
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
      *name = "cuMemcpyHtoD_v2";
    else if (id == CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020)
      *name = "cudaMalloc_v3020";
    else if (id == CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020)
      *name = "cudaStreamSynchronize_v3020";
    else if (id == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020)
      *name = "cudaMemcpy_v3020";
    else
      return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
  }
  static CUptiResult get_result_string(CUptiResult result, const char** text) {
    switch (static_cast<int>(result)) {
      case 35:
        *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
        return CUPTI_SUCCESS;
      case 39:
        *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
        return CUPTI_SUCCESS;
      case 999:
        *text = "CUPTI_ERROR_UNKNOWN";
        return CUPTI_SUCCESS;
      default:
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
  }
  static CUptiResult register_callbacks(CUpti_BuffersCallbackRequestFunc request,
                                        CUpti_BuffersCallbackCompleteFunc complete) {
    fake().note("register");
    const std::lock_guard lock(fake().mutex_);
    fake().request_ = request;
    fake().complete_ = complete;
    return CUPTI_SUCCESS;
  }
  static CUptiResult enable(CUpti_ActivityKind kind) { return fake().enable(kind, "enable "); }
  static CUptiResult enable_and_dump(CUpti_ActivityKind kind) { return fake().enable(kind, "dump "); }
  static CUptiResult disable(CUpti_ActivityKind kind) {
    fake().note("disable " + std::to_string(kind));
    const std::lock_guard lock(fake().mutex_);
    fake().kinds_.erase(kind);
    return CUPTI_SUCCESS;
  }
  static CUptiResult flush_all(std::uint32_t flag) { return fake().flush(flag); }
  static CUptiResult get_next_record(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    const auto size_of = [](const CUpti_Activity& r) -> std::size_t {
      return r.kind == CUPTI_ACTIVITY_KIND_RUNTIME || r.kind == CUPTI_ACTIVITY_KIND_DRIVER ? sizeof(CUpti_ActivityAPI)
                                                                                           : 0;
    };
    std::uint8_t* at = buffer;
    if (*record) {
      const std::size_t bytes = size_of(**record);
      if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
      at = reinterpret_cast<std::uint8_t*>(*record) + bytes;
    }
    if (at >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    auto* next = reinterpret_cast<CUpti_Activity*>(at);
    if (size_of(*next) == 0) return CUPTI_ERROR_INVALID_KIND;
    *record = next;
    return CUPTI_SUCCESS;
  }
  static CUptiResult get_dropped(CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = fake().dropped.exchange(0);
    return CUPTI_SUCCESS;
  }
  static CUptiResult set_attribute(CUpti_ActivityAttribute attribute, std::size_t*, void* value) {
    if (fake().setting_answer != CUPTI_SUCCESS) return fake().setting_answer;
    fake().note("attribute " + std::to_string(attribute) + "=" + std::to_string(*static_cast<std::uint8_t*>(value)));
    return CUPTI_SUCCESS;
  }
  static CUptiResult set_thread_id_type(CUpti_ActivityThreadIdType type) {
    if (fake().setting_answer != CUPTI_SUCCESS) return fake().setting_answer;
    fake().note("thread ids " + std::to_string(type));
    return CUPTI_SUCCESS;
  }
  static CUptiResult enable_runtime_api(CUpti_CallbackId id, std::uint8_t on) {
    if (id == CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020) fake().note(on ? "cudaGetDevice on" : "cudaGetDevice off");
    return CUPTI_SUCCESS;
  }
  static CUptiResult enable_driver_api(CUpti_CallbackId, std::uint8_t) { return CUPTI_SUCCESS; }
  static CUptiResult enable_all_sync_records(std::uint8_t on) {
    fake().note(on ? "all syncs on" : "all syncs off");
    return CUPTI_SUCCESS;
  }
};

FakeCupti::FakeCupti(std::uint32_t version) : version_(version) { g_fake_cupti = this; }
FakeCupti::~FakeCupti() { g_fake_cupti = nullptr; }

CuptiTable FakeCupti::table() const {
  CuptiTable t;
  t.get_version = &FakeEntries::get_version;
  t.get_timestamp = &FakeEntries::get_timestamp;
  t.subscribe = &FakeEntries::subscribe;
  t.subscribe_v2 = &FakeEntries::subscribe_v2;
  t.unsubscribe = &FakeEntries::unsubscribe;
  t.enable_callback = &FakeEntries::enable_callback;
  t.enable_domain = &FakeEntries::enable_domain;
  t.get_callback_name = &FakeEntries::get_callback_name;
  t.get_result_string = &FakeEntries::get_result_string;
  t.register_callbacks = &FakeEntries::register_callbacks;
  t.enable = &FakeEntries::enable;
  t.enable_and_dump = &FakeEntries::enable_and_dump;
  t.disable = &FakeEntries::disable;
  t.flush_all = &FakeEntries::flush_all;
  t.get_next_record = &FakeEntries::get_next_record;
  t.get_dropped = &FakeEntries::get_dropped;
  t.set_attribute = &FakeEntries::set_attribute;
  t.set_thread_id_type = &FakeEntries::set_thread_id_type;
  t.enable_runtime_api = &FakeEntries::enable_runtime_api;
  t.enable_driver_api = &FakeEntries::enable_driver_api;
  t.enable_all_sync_records = &FakeEntries::enable_all_sync_records;
  t.path = "/somewhere/libcupti.so.13";
  t.version = version_;
  return t;
}

void FakeCupti::note(std::string entry) {
  const std::lock_guard lock(mutex_);
  if (!journal_.empty() && journal_.back() == entry && entry.starts_with("flush")) return;
  journal_.push_back(std::move(entry));
}

std::uint64_t FakeCupti::now() const {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec * 1'000'000'000LL + t.tv_nsec + clock_offset_ns);
}

CUptiResult FakeCupti::enable(CUpti_ActivityKind kind, const char* how) {
  if (const auto answer = kind_answers.find(kind); answer != kind_answers.end()) return answer->second;
  note(how + std::to_string(kind));
  const std::lock_guard lock(mutex_);
  kinds_.insert(kind);
  return CUPTI_SUCCESS;
}

void FakeCupti::callback(CUpti_ApiCallbackSite site, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         std::uint32_t correlation) {
  CUpti_CallbackFunc subscriber = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (callbacks_.contains({domain, id})) subscriber = subscriber_;
  }
  if (!subscriber) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.correlationId = correlation;
  subscriber(nullptr, domain, id, &data);
}

std::uint32_t FakeCupti::call(CUpti_CallbackId id, const std::function<void()>& inside, CUpti_CallbackDomain domain) {
  const std::uint32_t correlation = ++correlation_;
  CUpti_ActivityAPI record{};
  record.kind = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = id;
  record.start = now();
  callback(CUPTI_API_ENTER, domain, id, correlation);
  if (inside) inside();
  callback(CUPTI_API_EXIT, domain, id, correlation);
  record.end = now();
  record.threadId = fake_thread_id();
  record.correlationId = correlation;
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    wanted = kinds_.contains(record.kind);
  }
  if (wanted) write(&record, sizeof(record), false);
  return correlation;
}

std::uint32_t FakeCupti::call_with_driver_call(CUpti_CallbackId runtime, CUpti_CallbackId driver,
                                               const std::function<void()>& inside) {
  return call(runtime, [&] {
    const std::uint32_t correlation = correlation_;
    callback(CUPTI_API_ENTER, CUPTI_CB_DOMAIN_DRIVER_API, driver, correlation);
    if (inside) inside();
    callback(CUPTI_API_EXIT, CUPTI_CB_DOMAIN_DRIVER_API, driver, correlation);
  });
}

std::uint8_t* FakeCupti::ask_for_buffer(std::size_t* size) {
  std::uint8_t* data = nullptr;
  std::size_t most = 0;
  request_(&data, size, &most);
  return data;
}

void FakeCupti::write(const void* record, std::size_t bytes, bool incomplete) {
  std::unique_lock lock(mutex_);
  Buffer& buffer = buffers_[fake_thread_id()];
  if (buffer.data && buffer.size - buffer.valid < bytes) {
    const bool late = delivery == Delivery::Never || buffer.incomplete > 0;
    const Buffer full = std::exchange(buffer, Buffer{});
    if (late) full_.push_back(full);
    lock.unlock();
    if (!late) deliver({full}, delivery);
    lock.lock();
  }
  if (!buffer.data) {
    lock.unlock();
    std::size_t size = 0;
    std::uint8_t* data = ask_for_buffer(&size);
    if (data && std::any_of(data, data + size, [](std::uint8_t b) { return b != 0; })) ++dirty_;
    lock.lock();
    buffer.data = data;
    buffer.size = size;
    if (!data) {
      ++dropped;
      return;
    }
  }
  std::uint8_t* at = buffer.data + buffer.valid;
  std::memcpy(at + 4, static_cast<const std::uint8_t*>(record) + 4, bytes - 4);
  std::uint32_t kind = 0;
  std::memcpy(&kind, record, 4);
  std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at)).store(kind, std::memory_order_relaxed);
  buffer.valid += bytes;
  buffer.incomplete += incomplete ? 1 : 0;
}

void FakeCupti::begin_record() {
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  record.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020;
  record.correlationId = ++correlation_;
  record.threadId = fake_thread_id();
  record.start = record.end = now();
  write(&record, sizeof(record), true);
}

void FakeCupti::end_record() {
  const std::lock_guard lock(mutex_);
  for (auto& [thread, buffer] : buffers_) buffer.incomplete = 0;
  for (Buffer& buffer : full_) buffer.incomplete = 0;
}

void FakeCupti::deliver(const std::vector<Buffer>& buffers, Delivery how) {
  const auto give = [&] {
    for (const Buffer& b : buffers) complete_(nullptr, 0, b.data, b.size, b.valid);
  };
  if (how == Delivery::OtherThread)
    std::thread(give).join();
  else
    give();
}

CUptiResult FakeCupti::flush(std::uint32_t flag) {
  ++flushes_;
  note("flush " + std::to_string(flag));
  if (in_flush) in_flush();
  if (delivery == Delivery::Never) return CUPTI_SUCCESS;
  std::vector<Buffer> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto is_ready = [flag](const Buffer& b) { return b.data && (b.incomplete == 0 || flag != 0); };
    for (const Buffer& buffer : full_) {
      if (is_ready(buffer)) ready.push_back(buffer);
    }
    std::erase_if(full_, is_ready);
    for (auto& [thread, buffer] : buffers_) {
      if (is_ready(buffer)) ready.push_back(std::exchange(buffer, Buffer{}));
    }
  }
  deliver(ready, delivery);
  return CUPTI_SUCCESS;
}

std::size_t FakeCupti::give_back_all() {
  std::vector<Buffer> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(full_);
    for (auto& [thread, buffer] : buffers_) {
      if (buffer.data) all.push_back(std::exchange(buffer, Buffer{}));
    }
  }
  deliver(all, Delivery::SameThread);
  return all.size();
}

void FakeCupti::fatal(const char* message) {
  CUpti_CallbackFunc subscriber = nullptr;
  {
    const std::lock_guard lock(mutex_);
    subscriber = subscriber_;
  }
  CUpti_StateData data{};
  data.notification.result = CUPTI_ERROR_UNKNOWN;
  data.notification.message = message;
  subscriber(nullptr, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
}

std::vector<std::string> FakeCupti::journal() const {
  const std::lock_guard lock(mutex_);
  return journal_;
}
std::size_t FakeCupti::count(const std::string& entry) const {
  const std::vector<std::string> all = journal();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), entry));
}
std::vector<CUpti_ActivityKind> FakeCupti::enabled_kinds() const {
  const std::lock_guard lock(mutex_);
  return {kinds_.begin(), kinds_.end()};
}
bool FakeCupti::callback_enabled(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
  const std::lock_guard lock(mutex_);
  return callbacks_.contains({domain, id});
}
bool FakeCupti::subscribed() const {
  const std::lock_guard lock(mutex_);
  return subscriber_ != nullptr;
}
std::size_t FakeCupti::buffers_held() const {
  const std::lock_guard lock(mutex_);
  return full_.size() + static_cast<std::size_t>(std::count_if(buffers_.begin(), buffers_.end(),
                                                               [](const auto& b) { return b.second.data != nullptr; }));
}

}  // namespace lanescope::capture::cupti
