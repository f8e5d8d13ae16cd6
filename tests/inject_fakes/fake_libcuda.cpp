// A driver that does one thing as the real one does it: cuInit loads the library that CUDA_INJECTION64_PATH names and
// calls its InitializeInjection, once per process, on the calling thread; what is missing it ignores.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

extern "C" int cuInit(unsigned);
extern "C" int cuInit(unsigned) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return 0;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return 0;
  void* library = dlopen(path, RTLD_LAZY);
  if (!library) return 0;
  using Initialize = int (*)();
  const auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"));
  if (initialize) initialize();
  return 0;
}

extern "C" int cuDriverGetVersion(int* version);
extern "C" int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
