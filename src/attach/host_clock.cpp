#include "attach/host_clock.h"

#include <sys/timex.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "base/plain_text.h"

namespace lanescope::attach {
namespace {

// An interrupt between two readings makes a pair wide: of so many, the narrowest is 100 to 200 ns wide.
constexpr int kPairs = 20;

base::Nanoseconds clock_ns(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return t.tv_sec * base::kSecond + t.tv_nsec;
}

}  // namespace

trace::ClockFacts host_clock(base::Nanoseconds origin_ns) {
  trace::ClockFacts facts;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) facts.host = base::valid_utf8(host.data());
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), facts.boot_id);
  std::error_code error;
  facts.time_namespace = std::filesystem::read_symlink("/proc/self/ns/time", error).string();
  facts.origin_ns = origin_ns;
  return facts;
}

trace::ClockReading read_host_clock() {
  trace::ClockReading narrowest;
  for (int i = 0; i < kPairs; ++i) {
    const base::Nanoseconds before = clock_ns(CLOCK_MONOTONIC);
    const base::Nanoseconds real = clock_ns(CLOCK_REALTIME);
    const base::Nanoseconds width = clock_ns(CLOCK_MONOTONIC) - before;
    if (i > 0 && width >= narrowest.width_ns) continue;
    narrowest.monotonic_ns = before + width / 2;
    narrowest.real_ns = real;
    narrowest.width_ns = width;
  }
  timex state{};  // modes 0: it is only asked; a container may not even allow that
  if (::adjtimex(&state) < 0) {
    narrowest.status = trace::ClockReading::kClockUnknown;
    return narrowest;
  }
  narrowest.status = state.status;
  narrowest.maxerror_us = state.maxerror;
  narrowest.esterror_us = state.esterror;
  narrowest.frequency = state.freq;
  return narrowest;
}

}  // namespace lanescope::attach
