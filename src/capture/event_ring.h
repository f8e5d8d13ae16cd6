// A bounded queue from one writer thread to one reader thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "trace/event.h"

namespace lanescope::capture {

/// Uses only acquire and release, which ThreadSanitizer understands (unlike the fences in moodycamel's queue), and lets
/// the reader process many events in place.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity)
      : mask_(std::bit_ceil(std::max<std::size_t>(capacity, 2)) - 1),
        slots_(std::make_unique<trace::Event[]>(mask_ + 1)) {}

  std::size_t capacity() const { return mask_ + 1; }

  /// Writer thread. False if the queue is full.
  bool push(const trace::Event& event) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ > mask_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ > mask_) return false;
    }
    slots_[tail & mask_] = event;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  /// Writer thread: true if more than half of the queue is unread.
  bool filling() const {
    return tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_relaxed) > mask_ / 2;
  }

  /// Reader thread: passes the available events, at most one capacity, to `take`. Returns their number.
  template <typename Take>
  std::size_t drain(Take&& take) {
    const std::uint64_t begin = head_.load(std::memory_order_relaxed);
    const std::uint64_t end = tail_.load(std::memory_order_acquire);
    for (std::uint64_t head = begin; head != end;) {
      // Slots are released in batches, so that the threads rarely share a cache line.
      const std::uint64_t lot = std::min(end, head + kLot);
      for (; head != lot; ++head) take(slots_[head & mask_]);
      head_.store(head, std::memory_order_release);
    }
    return end - begin;
  }

 private:
  static constexpr std::uint64_t kLot = 256;
  static constexpr std::size_t kCacheLine = 64;

  const std::size_t mask_;
  const std::unique_ptr<trace::Event[]> slots_;
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_{0};  // next slot to write
  std::uint64_t head_seen_ = 0;                             // writer thread: its last known value of head_
  alignas(kCacheLine) std::atomic<std::uint64_t> head_{0};  // next slot to read
};

}  // namespace lanescope::capture
