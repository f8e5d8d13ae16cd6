// From CUPTI's clock to the trace's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>

#include "base/time.h"

namespace lanescope::capture::cupti {

using base::Nanoseconds;

/// CUPTI stamps with a clock of its own (CLOCK_REALTIME on Linux); the trace's time is CLOCK_MONOTONIC minus an origin.
/// Both run at one rate, so that their distance changes only when the wall clock is set. Decoder thread only.
class ClockMap {
 public:
  struct Clocks {
    std::function<std::uint64_t()> cupti_ns;  ///< cuptiGetTimestamp
    std::function<Nanoseconds()> trace_ns;    ///< CLOCK_MONOTONIC minus the origin
  };
  explicit ClockMap(Clocks clocks);

  /// Compares the clocks (the best of several brackets). True if the distance has jumped by more than 50 µs against the
  /// one known: a new epoch. The first call only learns the distance.
  bool compare();
  bool known() const { return !epochs_.empty(); }
  Nanoseconds now_ns() const { return clocks_.trace_ns(); }
  /// By how much CUPTI's clock was set forward (or back: negative) at the last jump.
  Nanoseconds last_jump_ns() const;
  /// Of the epochs known, the newest under which the stamp does not lie in the future; with none, the newest.
  Nanoseconds to_trace(std::uint64_t cupti_ns) const;

 private:
  struct Epoch {
    Nanoseconds distance_ns;  ///< CUPTI's clock minus the trace's
  };
  Clocks clocks_;
  std::deque<Epoch> epochs_;                                                   // oldest first, at most 8
  mutable Nanoseconds seen_now_ns_ = std::numeric_limits<Nanoseconds>::min();  // it is at least this late
};

}  // namespace lanescope::capture::cupti
