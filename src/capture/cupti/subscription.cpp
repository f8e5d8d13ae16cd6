#include "capture/cupti/cupti_capture_impl.h"

#include <fmt/format.h>

#include <array>

#include "base/translate.h"
#include "capture/cupti/hub.h"
#include "capture/cupti/open_calls.h"

namespace lanescope::capture::cupti {
namespace {

using base::tr;
using trace::CaptureState;

constexpr const char* kOurName = "Lanescope";

// Frequent, short, and of no interest.
constexpr std::array kNoisyRuntime = std::to_array<CUpti_CallbackId>({
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreate_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventCreateWithFlags_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventDestroy_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_ptsz_v10000,
});
constexpr std::array kNoisyDriver = std::to_array<CUpti_CallbackId>({
    CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute,
    CUPTI_DRIVER_TRACE_CBID_cuKernelGetName,
    CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState,
    CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttribute,
    CUPTI_DRIVER_TRACE_CBID_cuPointerGetAttributes,
});

struct ActivityKind {
  CUpti_ActivityKind kind;
  const char* name;
  trace::CaptureLevel from;
  bool dump = false;     // also report objects that already exist
  bool carries = false;  // required: at least one kind with this flag must be enabled
};
// CUPTI_ACTIVITY_KIND_KERNEL would serialise the kernels.
constexpr std::array kKinds = std::to_array<ActivityKind>({
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "CONCURRENT_KERNEL", trace::CaptureLevel::Kernels, false, true},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "MEMCPY", trace::CaptureLevel::Operations},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "MEMCPY2", trace::CaptureLevel::Operations},
    {CUPTI_ACTIVITY_KIND_MEMSET, "MEMSET", trace::CaptureLevel::Operations},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "SYNCHRONIZATION", trace::CaptureLevel::Calls},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, "CUDA_EVENT", trace::CaptureLevel::Calls},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "OVERHEAD", trace::CaptureLevel::Calls},
    {CUPTI_ACTIVITY_KIND_RUNTIME, "RUNTIME", trace::CaptureLevel::Calls, false, true},
    {CUPTI_ACTIVITY_KIND_DRIVER, "DRIVER", trace::CaptureLevel::Calls},
    {CUPTI_ACTIVITY_KIND_CONTEXT, "CONTEXT", trace::CaptureLevel::Calls, true},
    {CUPTI_ACTIVITY_KIND_STREAM, "STREAM", trace::CaptureLevel::Calls, true},
    {CUPTI_ACTIVITY_KIND_DEVICE, "DEVICE", trace::CaptureLevel::Calls, true},
});

}  // namespace

CUptiResult Subscription::subscribe(const CuptiTable& table, CUpti_SubscriberHandle* handle, std::string* incumbent) {
  if (table.subscribe_v2) {
    std::array<char, 2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> name{};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = kOurName;
    params.oldSubscriberName = name.data();
    params.oldSubscriberSize = name.size() - 1;
    const CUptiResult result = table.subscribe_v2(handle, &Hub::called, nullptr, &params);
    if (incumbent) *incumbent = name.data();
    return result;
  }
  return table.subscribe(handle, &Hub::called, nullptr);
}

Verdict Subscription::start(trace::CaptureLevel level) {
  if (level == trace::CaptureLevel::None) return {CaptureState::Off, tr("not requested")};
  std::string incumbent;
  CUptiResult result = subscribe(table_, &handle_, &incumbent);
  if (result != CUPTI_SUCCESS) return refusal(table_, result, incumbent);
  undo_.push_back([this] { table_.unsubscribe(handle_); });
  recording_ = undo_.size();
  if (level == trace::CaptureLevel::Subscribed) return {};

  set_up();
  result = table_.register_callbacks(&Hub::buffer_requested, &Hub::buffer_completed);
  if (result != CUPTI_SUCCESS) {
    unwind(0);
    return refusal(table_, result);
  }
  if (!enable_kinds(level, &result)) {
    unwind(0);
    Verdict verdict = refusal(table_, result);
    if (verdict.state != CaptureState::Denied) verdict.state = CaptureState::Unsupported;
    verdict.reason = tr("CUPTI records neither kernels nor calls: {}", verdict.reason);
    return verdict;
  }
  enable_callbacks(level);
  return {};
}

void Subscription::set_up() {
  if (table_.set_attribute) {
    std::uint8_t zeroed = 1;
    std::size_t size = sizeof(zeroed);
    if (table_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed) == CUPTI_SUCCESS) {
      undo_.push_back([this] {
        std::uint8_t not_zeroed = 0;
        std::size_t bytes = sizeof(not_zeroed);
        table_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &not_zeroed);
      });
    }
  }
  // Otherwise thread ids are pthread_self() truncated to 32 bits, which is no use for naming lanes.
  const bool real_ids =
      table_.set_thread_id_type && table_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) == CUPTI_SUCCESS;
  if (real_ids) {
    undo_.push_back([this] { table_.set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT); });
  } else {
    refused_.push_back(tr("thread ids"));
  }
  recording_ = undo_.size();
}

CUptiResult Subscription::enable_kind(CUpti_ActivityKind kind, const char* name, bool dump) {
  const CUptiResult result = dump && table_.enable_and_dump ? table_.enable_and_dump(kind) : table_.enable(kind);
  if (result == CUPTI_SUCCESS) {
    undo_.push_back([this, kind] { table_.disable(kind); });
  } else {
    refused_.push_back(name);
  }
  return result;
}

bool Subscription::enable_kinds(trace::CaptureLevel level, CUptiResult* why) {
  bool any = false;
  for (const ActivityKind& kind : kKinds) {
    if (level < kind.from) continue;
    const CUptiResult result = enable_kind(kind.kind, kind.name, kind.dump);
    if (!kind.carries) continue;
    any = any || result == CUPTI_SUCCESS;
    if (result != CUPTI_SUCCESS) *why = result;
  }
  if (any && level >= trace::CaptureLevel::Calls) filter();
  return any;
}

// Enabling a kind resets its filters, and disabling it removes them, so they need no undo.
void Subscription::filter() {
  if (table_.enable_runtime_api) {
    for (const CUpti_CallbackId id : kNoisyRuntime) table_.enable_runtime_api(id, 0);
  }
  if (table_.enable_driver_api) {
    for (const CUpti_CallbackId id : kNoisyDriver) table_.enable_driver_api(id, 0);
  }
  // Queries of events that are not ready would flood the buffers.
  if (table_.enable_all_sync_records) table_.enable_all_sync_records(0);
}

void Subscription::enable_callbacks(trace::CaptureLevel level) {
  const auto enable = [this](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    if (table_.enable_callback(1, handle_, domain, id) != CUPTI_SUCCESS) return false;
    undo_.push_back([this, domain, id] { table_.enable_callback(0, handle_, domain, id); });
    return true;
  };
  if (!enable(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR)) refused_.push_back(tr("its own failures"));
  if (level < trace::CaptureLevel::All) return;
  // An older library does not know all of them.
  std::size_t enabled = 0;
  for (const CUpti_CallbackId id : watched_runtime_calls()) enabled += enable(CUPTI_CB_DOMAIN_RUNTIME_API, id);
  for (const CUpti_CallbackId id : watched_driver_calls()) enabled += enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (enabled == 0) refused_.push_back(tr("calls in progress"));
}

void Subscription::unwind(std::size_t down_to) {
  while (undo_.size() > down_to) {
    undo_.back()();
    undo_.pop_back();
  }
}

void Subscription::disable() { unwind(recording_); }
void Subscription::end() { unwind(0); }

}  // namespace lanescope::capture::cupti
