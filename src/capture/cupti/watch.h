// Looks now and then whether the capture still is what it was: whether buffers come back, and whose clock it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/cupti/cupti_table.h"

namespace lanescope::capture::cupti {

/// One thread looks, any thread asks.
class Watch {
 public:
  /// Every half second or so; `now_ns` on CLOCK_MONOTONIC. `calls` and `buffers` have come so far.
  void look(const CuptiTable& table, std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers,
            std::uint64_t clock_steps);

  /// Since when no buffer has come back although there are calls (CLOCK_MONOTONIC); 0: they do.
  std::int64_t silent_since_ns() const { return silent_since_ns_.load(std::memory_order_relaxed); }
  /// CUPTI's clock was the system's and is not any more.
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
