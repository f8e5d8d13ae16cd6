// A program's library that uses NVTX, for tests/inject: opened by a script through ctypes.
#include <nvtx3/nvToolsExt.h>

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
