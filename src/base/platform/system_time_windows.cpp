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

std::optional<std::tm> local_time(std::time_t time) {
  std::tm local{};
  if (::localtime_s(&local, &time) != 0) return std::nullopt;
  return local;
}

std::uint32_t thread_number() { return ::GetCurrentThreadId(); }

}  // namespace lanescope::base
