// What this library needs of libc, under the oldest names: built on a new system it must load on one with glibc 2.31,
// where these functions were still in libpthread and libdl. tests/inject checks the result.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "inject/durations.h"

#ifdef LANESCOPE_OWN_LOOPS
// The same code in our own library, which needs a newer one, and where a sanitizer has its own of these.
#elif defined(__GLIBC__) && defined(__x86_64__)
#define LANESCOPE_OLDEST "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define LANESCOPE_OLDEST "GLIBC_2.17"
#endif
#ifdef LANESCOPE_OLDEST
__asm__(".symver pthread_create,pthread_create@" LANESCOPE_OLDEST);
__asm__(".symver dlopen,dlopen@" LANESCOPE_OLDEST);
__asm__(".symver dlsym,dlsym@" LANESCOPE_OLDEST);
__asm__(".symver dlerror,dlerror@" LANESCOPE_OLDEST);
__asm__(".symver dladdr,dladdr@" LANESCOPE_OLDEST);
#endif

namespace lanescope::inject {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}
inline std::int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }
inline std::uint32_t thread_id() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

}  // namespace lanescope::inject
