// Translates CUPTI's error codes into the capture's state.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "capture/cupti/cupti_table.h"
#include "trace/capture_health.h"

namespace lanescope::capture::cupti {

struct Verdict {
  trace::CaptureState state = trace::CaptureState::Running;
  std::string reason;  ///< one line
};

/// The meaning of an error when starting CUPTI. `incumbent` is the name of the profiler that uses it, possibly empty.
Verdict refusal(const CuptiTable& table, CUptiResult result, const std::string& incumbent = {});
/// "CUPTI_ERROR_NOT_COMPATIBLE".
std::string result_text(const CuptiTable& table, CUptiResult result);
/// "libcupti.so.13 (API 130001)".
std::string library_text(const CuptiTable& table);

// --- watch -----------------------------------------------------------------------------------------------------------
// Checks periodically whether the capture still works: whether buffers come back, and whether CUPTI's clock is
// unchanged.

/// One thread calls look(); any thread may query.
class Watch {
 public:
  /// Call about every half second. `now_ns` is CLOCK_MONOTONIC; `calls` and `buffers` are totals so far.
  void look(const CuptiTable& table, std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers,
            std::uint64_t clock_steps);

  /// Since when no buffers have come back although calls were made (CLOCK_MONOTONIC). 0: they do come back.
  std::int64_t silent_since_ns() const { return silent_since_ns_.load(std::memory_order_relaxed); }
  /// True if CUPTI's clock was the system's and no longer is.
  bool foreign_clock() const { return foreign_clock_.load(std::memory_order_relaxed); }

 private:
  void look_for_buffers(std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers);
  void look_at_clock(const CuptiTable& table, std::uint64_t clock_steps);

  std::uint64_t calls_ = 0, buffers_ = 0;
  std::int64_t last_buffer_ns_ = 0, with_calls_ns_ = 0, last_look_ns_ = 0;
  bool clock_was_ours_ = false;
  int outside_ = 0;
  std::atomic<std::int64_t> silent_since_ns_{0};
  std::atomic<bool> foreign_clock_{false};
};

}  // namespace lanescope::capture::cupti
