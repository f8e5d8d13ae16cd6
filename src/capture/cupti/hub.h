// The state that CUPTI's callbacks access. There is one instance, which lives as long as the process, because CUPTI may
// call back after a session has ended, and may hold buffers indefinitely.
//
// The callbacks take no lock, do not allocate, log or throw.
#pragma once

#include <cupti.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <forward_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capture/cupti/buffer_pool.h"
#include "capture/cupti/open_calls.h"

namespace lanescope::capture::cupti {

// --- wake up ---------------------------------------------------------------------------------------------------------
// Wakes one thread from any thread without a lock, for use in CUPTI's callbacks.

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

// --- hub -------------------------------------------------------------------------------------------------------------

std::int64_t monotonic_ns() noexcept;
std::uint32_t this_thread() noexcept;  ///< the system's thread id

class Hub {
 public:
  static Hub& get();

  /// A running session that must be stopped when the process exits.
  class Live {
   public:
    virtual ~Live() = default;
    virtual void stop_at_exit() noexcept = 0;
  };
  /// Claims CUPTI for one session; false if it is taken. Registers an exit handler, so call it after loading CUPTI: the
  /// handler then runs before CUPTI's own.
  bool claim(std::weak_ptr<Live> session, std::uint32_t main_thread);
  void release();
  bool claimed() const;
  /// A pool of buffers of this size, kept forever. Only for the session that has claimed CUPTI.
  BufferPool& use_pool(std::size_t buffer_bytes);
  std::uint32_t session() const { return session_.load(std::memory_order_relaxed); }
  /// Whether a buffer request may be answered with null. CUPTI before 12.9 crashes on it.
  void allow_null(bool allowed) { null_allowed_.store(allowed, std::memory_order_relaxed); }

  /// True in a child process after fork(), which lacks the parent's threads. Nothing may be touched there.
  bool forked() const noexcept { return forked_.load(std::memory_order_relaxed); }
  /// Keeps an object alive forever, because it must not be destroyed.
  void keep(std::shared_ptr<void> thing) { kept_.push_front(std::move(thing)); }

  // Written by the callbacks.
  std::uint64_t calls_seen() const { return calls_seen_.load(std::memory_order_relaxed); }
  std::uint32_t main_thread() const { return main_thread_.load(std::memory_order_relaxed); }
  void set_main_thread(std::uint32_t thread) noexcept { main_thread_.store(thread, std::memory_order_relaxed); }
  void set_main_thread_if_none(std::uint32_t thread) noexcept;
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  std::string lost_message() const { return lost_message_; }  ///< valid once lost()

  OpenCalls open_calls;
  WakeUp decoder, flusher;
  std::atomic<bool> flusher_rests{false};  ///< a buffer request wakes it, once

  // CUPTI's callbacks.
  static void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
  static void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                        std::size_t valid_size);
  static void CUPTIAPI called(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

 private:
  struct Pool {
    explicit Pool(std::size_t bytes) : buffers(bytes) {}
    BufferPool buffers;
    Pool* next = nullptr;
  };
  Hub();

  std::atomic<Pool*> pools_{nullptr};  // all pools, newest first
  std::atomic<BufferPool*> pool_{nullptr};
  std::atomic<std::uint32_t> session_{0};
  std::atomic<bool> null_allowed_{false}, forked_{false}, lost_{false}, losing_{false};
  std::atomic<std::uint64_t> calls_seen_{0};
  std::atomic<std::uint32_t> main_thread_{0};
  char lost_message_[256] = {};  // written before lost_

  mutable std::mutex mutex_;
  bool claimed_ = false, exit_registered_ = false;
  std::weak_ptr<Live> live_;
  std::forward_list<std::shared_ptr<void>> kept_;
};

}  // namespace lanescope::capture::cupti
