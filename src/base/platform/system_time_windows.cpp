#include <windows.h>

#include "base/platform/system_time.h"

namespace lanescope::base {

double process_seconds() {
  FILETIME made{}, ended{}, kernel{}, user{};
  ::GetProcessTimes(::GetCurrentProcess(), &made, &ended, &kernel, &user);
  const auto steps = [](const FILETIME& t) {
    return static_cast<double>(std::uint64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime);
  };
  return (steps(kernel) + steps(user)) / 1e7;
}

std::uint32_t thread_number() { return ::GetCurrentThreadId(); }

}  // namespace lanescope::base
