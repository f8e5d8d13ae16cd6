#include <time.h>
#include <unistd.h>

#include "base/platform/system_time.h"

namespace lanescope::base {

double process_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

std::uint32_t thread_number() {
#ifdef __linux__
  return static_cast<std::uint32_t>(::gettid());
#else
  return static_cast<std::uint32_t>(::getpid());
#endif
}

}  // namespace lanescope::base
