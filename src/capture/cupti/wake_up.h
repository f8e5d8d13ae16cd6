// Wakes one thread from any thread without a lock, for use in CUPTI's callbacks.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace lanescope::capture::cupti {

class WakeUp {
 public:
  /// Callable from any thread. Makes a system call only if the thread sleeps.
  void raise() noexcept {
    if (state_.exchange(kRaised, std::memory_order_acq_rel) == kAsleep) {
      syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  }
  /// For the waiting thread only. True if raise() was called since the last wait. Waits at most `limit_ns` (negative:
  /// no limit) and may return false early.
  bool wait(std::int64_t limit_ns) noexcept {
    std::uint32_t expected = kQuiet;
    if (state_.compare_exchange_strong(expected, kAsleep, std::memory_order_acq_rel)) {
      timespec limit{};
      limit.tv_sec = limit_ns / 1'000'000'000;
      limit.tv_nsec = limit_ns % 1'000'000'000;
      syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, kAsleep, limit_ns < 0 ? nullptr : &limit, nullptr, 0);
    }
    return state_.exchange(kQuiet, std::memory_order_acq_rel) == kRaised;
  }

 private:
  static constexpr std::uint32_t kQuiet = 0, kRaised = 1, kAsleep = 2;
  std::atomic<std::uint32_t> state_{kQuiet};
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

}  // namespace lanescope::capture::cupti
