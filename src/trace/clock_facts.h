// What is known about the clock of the machine on which a run was recorded: enough to put the recordings of several
// machines on one clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace lanescope::trace {

/// The clock's two times at one moment, and what the kernel said of it then.
struct ClockReading {
  base::Nanoseconds monotonic_ns = 0;  ///< CLOCK_MONOTONIC, halfway between just before and just after `real_ns`
  base::Nanoseconds real_ns = 0;       ///< CLOCK_REALTIME, since 1970
  base::Nanoseconds width_ns = 0;      ///< from just before to just after: the pair is wrong by half of it at most
  // From adjtimex(): how far CLOCK_REALTIME may be from the true time of day.
  std::int32_t status = 0;       ///< the kernel's STA_ bits; kClockUnknown: it did not say
  std::int64_t maxerror_us = 0;  ///< a bound; grows while nobody corrects the clock
  std::int64_t esterror_us = 0;  ///< an estimate, by what corrects the clock
  std::int64_t frequency = 0;    ///< by how much it is corrected, in 2^-16 ppm

  static constexpr std::int32_t kClockUnknown = -1;
  /// Something corrects the clock, so that maxerror_us means what it says.
  bool synchronised() const {
    constexpr std::int32_t kUnsync = 0x40;  // STA_UNSYNC
    return status >= 0 && (status & kUnsync) == 0;
  }
  bool operator==(const ClockReading&) const = default;
};

/// All of a recording's processes run on one machine.
struct ClockFacts {
  std::string host;
  std::string boot_id;              ///< of the kernel; empty: not known
  std::string time_namespace;       ///< "time:[4026531834]": within another one, CLOCK_MONOTONIC has another beginning
  base::Nanoseconds origin_ns = 0;  ///< CLOCK_MONOTONIC where the trace's time is 0
  std::vector<ClockReading> readings;  ///< at the start, every kClockEvery, at the end; empty: nobody looked

  /// The recordings' CLOCK_MONOTONIC is one and the same: the difference of their origins sets them right, exactly.
  bool same_clock(const ClockFacts& other) const {
    return !boot_id.empty() && boot_id == other.boot_id && time_namespace == other.time_namespace;
  }
  /// When that was, in the trace's time.
  base::Nanoseconds trace_ns(const ClockReading& reading) const { return reading.monotonic_ns - origin_ns; }

  bool operator==(const ClockFacts&) const = default;
};

inline constexpr base::Nanoseconds kClockEvery = 10 * base::kSecond;

}  // namespace lanescope::trace
