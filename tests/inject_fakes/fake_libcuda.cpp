// A driver that replays graphs, as far as `lanescope replay-graphs` uses them, and does one more thing as the real one
// does it: cuInit loads the library that CUDA_INJECTION64_PATH names and calls its InitializeInjection, once per
// process, on the calling thread; what is missing it ignores.
//   FAKE_CUDA_INIT_MS   how long cuInit takes after that
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The thread that is in cuInit, for the fake CUPTI; 0: none.
extern "C" std::atomic<int> fake_initialising;
std::atomic<int> fake_initialising{0};

extern "C" int cuInit(unsigned);
extern "C" int cuInit(unsigned) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return 0;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return 0;
  void* library = dlopen(path, RTLD_LAZY);
  if (!library) return 0;
  fake_initialising = gettid();
  using Initialize = int (*)();
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"));
  if (initialize) initialize();
  if (const char* ms = std::getenv("FAKE_CUDA_INIT_MS")) usleep(static_cast<useconds_t>(std::atoi(ms)) * 1000);
  fake_initialising = 0;
  if (void* cupti = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD)) {
    using Finished = void (*)();
    if (const auto finished = reinterpret_cast<Finished>(dlsym(cupti, "fake_init_finished"))) finished();
    dlclose(cupti);
  }
  return 0;
}

extern "C" int cuDriverGetVersion(int* version);
extern "C" int cuDriverGetVersion(int* version) {
  *version = 13000;
  if (void* cupti = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD)) {
    using Called = void (*)();
    if (const auto called = reinterpret_cast<Called>(dlsym(cupti, "fake_driver_version"))) called();
    dlclose(cupti);
  }
  return 0;
}

// --- graphs: each is two kernels that add 1 to where the memory begins ----------------------------------------------

#define FAKE(name, ...)             \
  extern "C" int name(__VA_ARGS__); \
  extern "C" int name(__VA_ARGS__)

namespace {
std::uint32_t memory[64];
int object = 0;
void in_cupti(const char* name, int graph) {
  void* cupti = dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
  if (!cupti) return;
  if (graph != 0) {
    using Launch = std::uint32_t (*)(const char*, std::uint32_t, std::uint64_t, std::uint32_t);
    if (const auto launch = reinterpret_cast<Launch>(dlsym(cupti, name))) launch("count", 2, 1000, 7);
  } else if (const auto call = reinterpret_cast<void (*)()>(dlsym(cupti, name))) {
    call();
  }
  dlclose(cupti);
}
}  // namespace

FAKE(cuDeviceGet, int* device, int) { return *device = 0; }
FAKE(cuDeviceGetPCIBusId, char* id, int bytes, int) {
  std::strncpy(id, "0000:01:00.0", static_cast<std::size_t>(bytes));
  return 0;
}
FAKE(cuDevicePrimaryCtxRetain, void** context, int) {
  *context = &object;
  return 0;
}
FAKE(cuCtxSetCurrent, void*) { return 0; }
FAKE(cuModuleLoadData, void** module, const void*) {
  *module = &object;
  return 0;
}
FAKE(cuModuleGetFunction, void** function, void*, const char*) {
  *function = &object;
  return 0;
}
FAKE(cuStreamCreate, void** stream, unsigned) {
  *stream = &object;
  return 0;
}
FAKE(cuMemAlloc_v2, std::uint64_t* at, std::size_t bytes) {
  *at = reinterpret_cast<std::uint64_t>(memory);
  return bytes > sizeof(memory);
}
FAKE(cuMemcpyDtoH_v2, void* to, std::uint64_t from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return 0;
}
FAKE(cuStreamBeginCapture_v2, void*, int) {
  in_cupti("fake_begin_capture", 0);
  return 0;
}
FAKE(cuLaunchKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
     void**) {
  return 0;
}
FAKE(cuMemsetD8Async, std::uint64_t at, unsigned char value, std::size_t bytes, void*) {
  std::memset(reinterpret_cast<void*>(at), value, bytes);
  return 0;
}
FAKE(cuMemcpyDtoDAsync_v2, std::uint64_t, std::uint64_t, std::size_t, void*) { return 0; }
FAKE(cuStreamEndCapture, void*, void** graph) {
  in_cupti("fake_end_capture", 0);
  *graph = &object;
  return 0;
}
FAKE(cuGraphInstantiateWithFlags, void** exec, void*, unsigned long long) {
  *exec = &object;
  return 0;
}
FAKE(cuGraphLaunch, void*, void*) {
  in_cupti("fake_graph_launch", 1);
  memory[0] += 2;
  return 0;
}
FAKE(cuStreamSynchronize, void*) {
  in_cupti("fake_device_sync", 0);
  return 0;
}
