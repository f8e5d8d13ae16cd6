// A driver that does one thing as the real one does it: cuInit loads the library that CUDA_INJECTION64_PATH names and
// calls its InitializeInjection, once per process, on the calling thread; what is missing it ignores.
//   FAKE_CUDA_INIT_MS   how long cuInit takes after that
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

// The thread that is in cuInit, for the fake CUPTI; 0: none.
extern "C" std::atomic<int> fake_initialising;
std::atomic<int> fake_initialising{0};
static std::atomic<bool> initialised{false};

extern "C" int cuInit(unsigned);
extern "C" int cuInit(unsigned) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return 0;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) {
    initialised = true;
    return 0;
  }
  void* library = dlopen(path, RTLD_LAZY);
  if (!library) {
    initialised = true;
    return 0;
  }
  fake_initialising = gettid();
  using Initialize = int (*)();
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"));
  if (initialize) initialize();
  if (const char* ms = std::getenv("FAKE_CUDA_INIT_MS")) usleep(static_cast<useconds_t>(std::atoi(ms)) * 1000);
  fake_initialising = 0;
  initialised = true;
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

extern "C" int cuDeviceGetCount(int* count);
extern "C" int cuDeviceGetCount(int* count) {
  *count = 1;
  return initialised ? 0 : 3;  // CUDA_ERROR_NOT_INITIALIZED
}
