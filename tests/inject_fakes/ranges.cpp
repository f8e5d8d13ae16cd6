// A program's library that uses NVTX, for tests/inject: opened by a script through ctypes.
#include <nvtx3/nvToolsExt.h>
#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define HAS_PAYLOADS 1
#else
#define HAS_PAYLOADS 0
#endif

#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int ranges_push(const char* name);
EXPORT int ranges_push(const char* name) { return nvtxRangePushA(name); }
EXPORT int ranges_pop();
EXPORT int ranges_pop() { return nvtxRangePop(); }
EXPORT void ranges_mark(const char* name);
EXPORT void ranges_mark(const char* name) { nvtxMarkA(name); }
EXPORT unsigned long ranges_start(const char* name);
EXPORT unsigned long ranges_start(const char* name) { return nvtxRangeStartA(name); }
EXPORT void ranges_end(unsigned long range);
EXPORT void ranges_end(unsigned long range) { nvtxRangeEnd(range); }
EXPORT void ranges_name_thread(const char* name);
EXPORT void ranges_name_thread(const char* name) {
  nvtxNameOsThreadA(static_cast<unsigned>(syscall(SYS_gettid)), name);
}
// A push and a pop in a domain of its own, with a registered string and a colour.
EXPORT void ranges_in_domain(const char* domain, const char* name);
EXPORT void ranges_in_domain(const char* domain, const char* name) {
  nvtxDomainHandle_t d = nvtxDomainCreateA(domain);
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(d, name);
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xFF8800CC;
  nvtxDomainRangePushEx(d, &event);
  nvtxDomainRangePop(d);
}
EXPORT void ranges_wide(const wchar_t* name);
EXPORT void ranges_wide(const wchar_t* name) {
  nvtxRangePushW(name);
  nvtxRangePop();
}

// Ranges with a payload, as NCCL has them: its collectives at the start of a range, new communicators at the end.
#if HAS_PAYLOADS
EXPORT int ranges_have_payloads();
EXPORT int ranges_have_payloads() { return 1; }
EXPORT void ranges_push_payload(const char* domain, const char* name, unsigned long schema, const void* data,
                                unsigned long bytes, int count);
EXPORT void ranges_push_payload(const char* domain, const char* name, unsigned long schema, const void* data,
                                unsigned long bytes, int count) {
  const nvtxPayloadData_t payload{schema, bytes, data};
  nvtxDomainHandle_t d = nvtxDomainCreateA(domain);
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(d, name);
  if (count >= 0) {
    event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event.reserved0 = count;
    event.payload.ullValue = count > 0 ? NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&payload) : 0;
  }
  nvtxDomainRangePushEx(d, &event);
}
EXPORT void ranges_pop_in(const char* domain);
EXPORT void ranges_pop_in(const char* domain) { nvtxDomainRangePop(nvtxDomainCreateA(domain)); }
EXPORT int ranges_pop_payload(const char* domain, unsigned long schema, const void* data, unsigned long bytes);
EXPORT int ranges_pop_payload(const char* domain, unsigned long schema, const void* data, unsigned long bytes) {
  const nvtxPayloadData_t payload{schema, bytes, data};
  return nvtxRangePopPayload(nvtxDomainCreateA(domain), &payload, 1);
}
#else
EXPORT int ranges_have_payloads();
EXPORT int ranges_have_payloads() { return 0; }
#endif
