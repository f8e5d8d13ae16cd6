// The buffers that CUPTI fills: small, touched and zeroed beforehand, handed out and taken back by any thread without a
// lock.
//
//   free stack ─ take() ─▶ CUPTI ─ complete() ─▶ completed list ─ drain() ─▶ zeroed, free stack
//
// A pool lives as long as the process, since CUPTI may hold buffers for that long. A session uses it for a while.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lanescope::capture::cupti {

class BufferPool {
 public:
  /// `buffer_bytes` is rounded up to whole cache lines, at least 1 KB. Never destroyed while CUPTI holds a buffer.
  explicit BufferPool(std::size_t buffer_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  std::size_t buffer_bytes() const { return bytes_; }
  static std::size_t rounded(std::size_t buffer_bytes);

  /// A new user: the counts restart; what comes back from before goes to the free stack unread. Makes buffers until
  /// there are `buffers`, and grow() may make them up to `max_buffers`. No other thread drains or grows.
  void begin(std::uint32_t session, std::size_t buffers, std::size_t max_buffers);
  /// From here on completed buffers go straight to the free stack.
  void end();

  // Any thread; no lock, no allocation, no exception.

  /// Null when there is none. Zeroed; aligned to a cache line.
  std::uint8_t* take(std::uint32_t thread, std::int64_t now_ns) noexcept;
  /// False if the address is none of this pool's buffers.
  bool complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept;
  /// For when take() gives nothing and CUPTI cannot bear a null: always the same memory, which is never read.
  std::uint8_t* scratch() noexcept { return scratch_; }
  void count_no_buffer() noexcept { no_buffer_.fetch_add(1, std::memory_order_relaxed); }
  /// Few are left, and more may be made.
  bool low() const noexcept;

  // Threads of the session.

  /// Makes more if low().
  void grow();
  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t valid_bytes = 0;
    std::uint32_t thread = 0;   ///< that asked for it
    std::int64_t asked_ns = 0;  ///< and when
  };
  /// Gives this session's completed buffers to `read(const Filled&)`, oldest first, and takes them back. One thread at
  /// a time. Returns how many.
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
  /// Who asked for the buffers of this session that CUPTI holds or that are not drained; sorted, each once.
  std::vector<std::uint32_t> threads_with_buffers() const;
  /// Whether CUPTI holds a buffer of this session in which something has been written.
  bool records_out() const;

  struct Numbers {
    std::uint64_t total = 0, out = 0, peak = 0, completed = 0, no_buffer = 0;
    std::uint64_t strays = 0;  ///< came back after the session that handed them out, or twice
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
  std::mutex grow_mutex_;  // of the threads that make buffers; never taken in a callback
  std::array<std::atomic<Chunk*>, kMaxChunks> chunks_{};
  std::atomic<std::size_t> chunk_count_{0};
  std::atomic<std::size_t> max_buffers_{0};
  std::atomic<std::uint32_t> session_{0};
  std::atomic<bool> reading_{false};  // between begin() and end()
  // The free stack's top, and above it a count that changes with each pop, so that a top which has been away and is
  // back is not mistaken for one that stayed.
  alignas(64) std::atomic<std::uint64_t> free_head_{kNone};
  alignas(64) std::atomic<std::uint32_t> completed_head_{kNone};
  alignas(64) std::atomic<std::int64_t> free_{0}, out_{0}, peak_{0};
  std::atomic<std::uint64_t> total_{0}, completed_{0}, no_buffer_{0}, strays_{0};
};

}  // namespace lanescope::capture::cupti
