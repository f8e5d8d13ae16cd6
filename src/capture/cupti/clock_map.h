// Converts CUPTI's timestamps to the trace's time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>

#include "base/time.h"

namespace lanescope::capture::cupti {

using base::Nanoseconds;

/// CUPTI uses its own clock (CLOCK_REALTIME on Linux); the trace's time is CLOCK_MONOTONIC minus an origin. Both run at
/// the same rate, so their offset changes only when the wall clock is set. Decoder thread only.
class ClockMap {
 public:
  struct Clocks {
    std::function<std::uint64_t()> cupti_ns;  ///< cuptiGetTimestamp
    std::function<Nanoseconds()> trace_ns;    ///< CLOCK_MONOTONIC minus the origin
  };
  explicit ClockMap(Clocks clocks);

  /// Compares the clocks, using the best of several brackets. Returns true if the offset has jumped by more than 50 µs,
  /// which starts a new epoch. The first call only determines the offset.
  bool compare();
  bool known() const { return !epochs_.empty(); }
  Nanoseconds now_ns() const { return clocks_.trace_ns(); }
  /// How far CUPTI's clock was set forward (negative: back) at the last jump.
  Nanoseconds last_jump_ns() const;
  /// Uses the newest known epoch in which the timestamp is not in the future, or the newest of all if there is none.
  Nanoseconds to_trace(std::uint64_t cupti_ns) const;

 private:
  struct Epoch {
    Nanoseconds distance_ns;  ///< offset: CUPTI's clock minus the trace's
  };
  Clocks clocks_;
  std::deque<Epoch> epochs_;                                                   // oldest first, at most 8
  mutable Nanoseconds seen_now_ns_ = std::numeric_limits<Nanoseconds>::min();  // a lower bound of the current time
};

}  // namespace lanescope::capture::cupti
