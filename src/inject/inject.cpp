// What the driver and NVTX call. CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name this library; cuInit and the
// first NVTX call of each library of the program load it. Whatever fails, the program goes on, and nothing is printed.
#include <errno.h>

#include <atomic>
#include <cstring>

#include "inject/compat.h"
#include "inject/connection.h"
#include "inject/nvtx.h"
#include "inject/own_knobs.h"
#include "inject/ring.h"

#define LANESCOPE_EXPORT extern "C" __attribute__((visibility("default")))

namespace lanescope::inject {
namespace {

enum Progress : std::uint32_t { Untouched, Busy, Ready, Unwanted };
std::atomic<std::uint32_t> session{Untouched};

// Several threads may come at once: one starts, the others wait for it.
bool ready() {
  std::uint32_t found = Untouched;
  if (session.compare_exchange_strong(found, Busy)) {
    const int saved = errno;
    found = start() ? Ready : Unwanted;
    session.store(found, std::memory_order_release);
    errno = saved;
  }
  for (int i = 0; found == Busy && i < 1000; ++i) {
    const timespec nap{0, kMillisecond};
    nanosleep(&nap, nullptr);
    found = session.load(std::memory_order_acquire);
  }
  return found != Busy && live();  // a viewer may also have come later, see lanescope_enter()
}

// In each step of a JAX program XLA makes some dozen ranges, as soon as somebody listens. They slow it down, and name
// XLA's parts where the user's line is wanted.
bool is_of_jax(const void* in_a_library) {
  Dl_info info;
  if (dladdr(in_a_library, &info) == 0 || !info.dli_fname) return false;
  return std::strstr(info.dli_fname, "/jaxlib/") || std::strstr(info.dli_fname, "/jax_plugins/");
}

}  // namespace
}  // namespace lanescope::inject

LANESCOPE_EXPORT int InitializeInjection();
LANESCOPE_EXPORT int InitializeInjection() {
  using namespace lanescope::inject;
  const int saved = errno;
  if (is_asleep()) fall_asleep();
  if (ready()) {
    begin_cupti();
    step_now();
  }
  errno = saved;
  return 1;
}

LANESCOPE_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables);
LANESCOPE_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  using namespace lanescope::inject;
  if (is_of_jax(reinterpret_cast<const void*>(tables))) return 0;  // NVTX switches itself off
  // Asleep, ranges are passed over one by one: a library that is refused now would never ask again.
  if (!ready() && !is_asleep()) return 0;
  if (live()) leave_at_exit();
  return take_over_nvtx(tables) ? 1 : 0;
}

LANESCOPE_EXPORT int InitializeInjectionNvtx(NvtxGetExportTableFunc_t tables);
LANESCOPE_EXPORT int InitializeInjectionNvtx(NvtxGetExportTableFunc_t tables) {
  return InitializeInjectionNvtx2(tables);
}

// Of NVTX's extensions only payloads are used.
LANESCOPE_EXPORT int InitializeInjectionNvtxExtension(void* module);
LANESCOPE_EXPORT int InitializeInjectionNvtxExtension(void* module) {
  using namespace lanescope::inject;
  return !is_of_jax(module) && (ready() || is_asleep()) && take_over_nvtx_extension(module) ? 1 : 0;
}

// What python/lanescope.py calls for each knob of the program.
LANESCOPE_EXPORT const void* lanescope_knob(const char* name, const char* value, const char* least, const char* most,
                                            const char* choices, const char* file, const char* kind, int line);
LANESCOPE_EXPORT const void* lanescope_knob(const char* name, const char* value, const char* least, const char* most,
                                            const char* choices, const char* file, const char* kind, int line) {
  return lanescope::inject::register_own_knob(
      {name, value, least, most, choices, file, *kind, static_cast<std::uint32_t>(line)});
}

// Not looked up by the driver: called by whoever has brought the library into a program that was running already, see
// attach/enter.cpp.
LANESCOPE_EXPORT int lanescope_enter(const char* socket);
LANESCOPE_EXPORT int lanescope_enter(const char* socket) { return lanescope::inject::enter(socket); }
