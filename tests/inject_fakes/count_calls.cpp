// Preloaded: counts what a program's thread may not do within a callback: allocate, free, lock. The fake CUPTI says
// where a callback begins and ends.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void __libc_free(void*);

namespace {
__attribute__((tls_model("initial-exec"))) thread_local bool within = false;
std::atomic<unsigned> allocations{0}, locks{0}, callbacks{0};
}  // namespace

extern "C" void count_begin();
extern "C" void count_begin() {
  within = true;
  ++callbacks;
}
extern "C" void count_end();
extern "C" void count_end() { within = false; }
extern "C" void count_reset();
extern "C" void count_reset() { allocations = locks = callbacks = 0; }
extern "C" unsigned count_allocations();
extern "C" unsigned count_allocations() { return allocations; }
extern "C" unsigned count_locks();
extern "C" unsigned count_locks() { return locks; }
extern "C" unsigned count_callbacks();
extern "C" unsigned count_callbacks() { return callbacks; }

extern "C" void* malloc(std::size_t bytes) {
  allocations += within;
  return __libc_malloc(bytes);
}
extern "C" void* calloc(std::size_t n, std::size_t bytes) {
  allocations += within;
  return __libc_calloc(n, bytes);
}
extern "C" void* realloc(void* at, std::size_t bytes) {
  allocations += within;
  return __libc_realloc(at, bytes);
}
extern "C" void free(void* at) {
  allocations += within;
  __libc_free(at);
}
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static std::atomic<Lock> real{nullptr};
  if (!real.load()) real = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks += within;
  return real.load()(mutex);
}
