// How much of a GPU's work is captured; the state of that capture and its losses, so that nothing is lost silently.
#pragma once

#include <cstdint>
#include <string>

#include "trace/event.h"

namespace lanescope::trace {

/// Each level includes the ones before it.
enum class CaptureLevel : std::uint8_t {
  None,        ///< CUPTI is not used
  Operations,  ///< kernels, copies and memsets
  All,         ///< + API calls, also while they are still open, and what they wait for
};

// --- capture health --------------------------------------------------------------------------------------------------
// The state of the capture and its losses, so that nothing is lost silently.

enum class CaptureState : std::uint8_t {
  None,         ///< nothing to capture: the device writes its own events (simulated)
  Off,          ///< not requested
  Unavailable,  ///< no CUPTI, or no driver
  Busy,         ///< another profiler is using CUPTI
  Denied,       ///< no permission
  Unsupported,  ///< this GPU, driver or mode cannot be traced
  Running,
  Degraded,  ///< running, but incomplete; the reason says what is missing
  Lost,      ///< was running and has stopped
};
/// The name of the state, translated: "running", "busy", ...
const char* to_text(CaptureState state);

struct CaptureHealth {
  CaptureState state = CaptureState::None;
  std::string reason;   ///< one line; empty while the capture is healthy
  std::string library;  ///< the capturing library and its version: "libcupti.so.13 (API 130001)"

  // Records read. Those that are neither calls nor operations (synchronisations, events, streams, overheads) go into
  // the parts of calls and into the counts below.
  std::uint64_t received = 0;
  std::uint64_t calls = 0;       ///< API calls written to the trace
  std::uint64_t operations = 0;  ///< GPU operations written to the trace
  std::uint64_t pending = 0;     ///< held back until all earlier records are known

  // Losses.
  std::uint64_t dropped = 0;       ///< by CUPTI, for lack of a buffer, and on the way here
  std::uint64_t no_buffer = 0;     ///< times CUPTI asked for a buffer and got none
  std::uint64_t untimed = 0;       ///< records without a timestamp
  std::uint64_t far_off = 0;       ///< records more than an hour away from the current time
  std::uint64_t duplicates = 0;    ///< a second call record with the same correlation: the driver call inside a runtime
                                   ///< call
  std::uint64_t unknown_kind = 0;  ///< messages that could not be right

  // Repairs and doubts.
  std::uint64_t clamped = 0;      ///< records that ended before they started
  std::uint64_t late = 0;         ///< records that arrived after their place on the lane had been written
  std::uint64_t before_call = 0;  ///< GPU operations that start before the call that issued them (clock skew)
  Nanoseconds worst_before_call_ns = 0;
  std::uint64_t launches_unmatched = 0;    ///< calls whose GPU operation never arrived
  std::uint64_t operations_unmatched = 0;  ///< GPU operations whose call never arrived
  std::uint64_t clock_steps = 0;           ///< times CUPTI's clock jumped relative to ours
  std::uint64_t queue_full_ns = 0;         ///< CPU time spent in launches because the queue was full
  std::uint64_t overhead_ns = 0;           ///< CPU time that CUPTI reports as its own overhead

  // Recent latency from the end of a GPU operation until it is visible. 0: not measured yet.
  double latency_p50_ms = 0, latency_p99_ms = 0;
};

/// A call that has started and not yet returned.
struct OpenCall {
  LaneId lane = 0;
  NameId name = 0;
  Nanoseconds start_ns = 0;

  bool operator==(const OpenCall&) const = default;
};

}  // namespace lanescope::trace
