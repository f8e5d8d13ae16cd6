// The state that CUPTI's callbacks access. There is one instance, which lives as long as the process, because CUPTI may
// call back after a session has ended, and may hold buffers indefinitely.
//
// The callbacks take no lock, do not allocate, log or throw.
#pragma once

#include <cupti.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <forward_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capture/cupti/open_calls.h"

namespace lanescope::capture::cupti {

// --- buffer pool -----------------------------------------------------------------------------------------------------
// The buffers that CUPTI fills: small, touched and zeroed in advance. Any thread hands them out and takes them back
// without a lock.
//
//   free stack ─ take() ─▶ CUPTI ─ complete() ─▶ completed list ─ drain() ─▶ zeroed, free stack
//
// A pool lives as long as the process, because CUPTI may hold buffers for that long. Sessions use it one after another.

class BufferPool {
 public:
  /// `buffer_bytes` is rounded up to whole cache lines, at least 1 KB. Must not be destroyed while CUPTI holds a
  /// buffer.
  explicit BufferPool(std::size_t buffer_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  std::size_t buffer_bytes() const { return bytes_; }
  static std::size_t rounded(std::size_t buffer_bytes);

  /// Starts a session: resets the counts. Buffers of earlier sessions go unread to the free stack when they come back.
  /// Allocates buffers until there are `buffers`; grow() may allocate up to `max_buffers`. No other thread may drain or
  /// grow meanwhile.
  void begin(std::uint32_t session, std::size_t buffers, std::size_t max_buffers);
  /// Ends the session: completed buffers now go straight to the free stack.
  void end();

  // For any thread: no lock, no allocation, no exception.

  /// Null if there is none. Zeroed and aligned to a cache line.
  std::uint8_t* take(std::uint32_t thread, std::int64_t now_ns) noexcept;
  /// False if the address is not one of this pool's buffers.
  bool complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept;
  /// A fallback for when take() returns null and CUPTI does not accept null: always the same memory, never read.
  std::uint8_t* scratch() noexcept { return scratch_; }
  void count_no_buffer() noexcept { no_buffer_.fetch_add(1, std::memory_order_relaxed); }
  /// True if few buffers are left and more may be allocated.
  bool low() const noexcept;

  // For the session's threads.

  /// Allocates more buffers if low().
  void grow();
  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t valid_bytes = 0;
    std::uint32_t thread = 0;   ///< the thread that requested it
    std::int64_t asked_ns = 0;  ///< when it was requested
  };
  /// Passes this session's completed buffers to `read(const Filled&)`, oldest first, and recycles them. One thread at a
  /// time. Returns their number.
  template <typename Read>
  std::size_t drain(Read&& read) {
    std::size_t n = 0;
    for (std::uint32_t i = take_completed(); i != kNone; ++n) {
      Slot& s = slot(i);
      const std::uint32_t next = s.next.load(std::memory_order_relaxed);
      if (s.session.load(std::memory_order_relaxed) == session_.load(std::memory_order_relaxed)) {
        read(Filled{s.data, s.valid.load(std::memory_order_relaxed), s.thread.load(std::memory_order_relaxed),
                    s.asked_ns.load(std::memory_order_relaxed)});
      }
      recycle(i);
      i = next;
    }
    return n;
  }
  bool nothing_completed() const { return completed_head_.load(std::memory_order_acquire) == kNone; }
  /// The threads that requested buffers of this session which CUPTI still holds or which are not drained; sorted,
  /// unique.
  std::vector<std::uint32_t> threads_with_buffers() const;
  /// True if CUPTI holds a buffer of this session to which something has been written.
  bool records_out() const;

  struct Numbers {
    std::uint64_t total = 0, out = 0, peak = 0, completed = 0, no_buffer = 0;
    std::uint64_t strays = 0;  ///< returned twice, or after the session that handed them out
  };
  Numbers numbers() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::size_t kPerChunk = 64, kMaxChunks = 1024;
  enum State : std::uint8_t { Free, Out, Completed };
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> next{kNone};  // in the free stack or in the completed list
    std::atomic<std::uint32_t> thread{0}, session{0};
    std::atomic<State> state{Free};
    std::atomic<std::int64_t> asked_ns{0};
    std::atomic<std::size_t> valid{0};
    std::uint8_t* data = nullptr;
  };
  struct Chunk {
    std::uint8_t* memory = nullptr;
    std::size_t count = 0;
    std::array<Slot, kPerChunk> slots;
  };

  Slot& slot(std::uint32_t index) const noexcept {
    return chunks_[index / kPerChunk].load(std::memory_order_acquire)->slots[index % kPerChunk];
  }
  std::uint32_t index_of(const std::uint8_t* buffer) const noexcept;
  void push_free(std::uint32_t index) noexcept;
  std::uint32_t take_completed() noexcept;
  void recycle(std::uint32_t index) noexcept;
  void make(std::size_t count);
  template <typename Visit>
  void for_each_in_use(Visit&& visit) const;

  const std::size_t bytes_;
  std::uint8_t* scratch_ = nullptr;
  std::mutex grow_mutex_;  // held by threads that allocate buffers; never taken in a callback
  std::array<std::atomic<Chunk*>, kMaxChunks> chunks_{};
  std::atomic<std::size_t> chunk_count_{0};
  std::atomic<std::size_t> max_buffers_{0};
  std::atomic<std::uint32_t> session_{0};
  std::atomic<bool> reading_{false};  // between begin() and end()
  // The top of the free stack, with a count above it that changes with each pop. It prevents the ABA problem.
  alignas(64) std::atomic<std::uint64_t> free_head_{kNone};
  alignas(64) std::atomic<std::uint32_t> completed_head_{kNone};
  alignas(64) std::atomic<std::int64_t> free_{0}, out_{0}, peak_{0};
  std::atomic<std::uint64_t> total_{0}, completed_{0}, no_buffer_{0}, strays_{0};
};

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
