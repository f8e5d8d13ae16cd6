#include "capture/cupti/watch.h"

#include <algorithm>
#include <ctime>

namespace lanescope::capture::cupti {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Counts only time in which there were calls: a single wait of a minute does not count.
constexpr std::int64_t kSilence = 2 * kSecond;
constexpr std::int64_t kLongestLook = kSecond;  // maximum counted between two checks

std::int64_t realtime_ns() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

}  // namespace

void Watch::look(const CuptiTable& table, std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers,
                 std::uint64_t clock_steps) {
  look_for_buffers(now_ns, calls, buffers);
  look_at_clock(table, clock_steps);
}

void Watch::look_for_buffers(std::int64_t now_ns, std::uint64_t calls, std::uint64_t buffers) {
  if (buffers != buffers_ || last_look_ns_ == 0) {
    last_buffer_ns_ = now_ns;
    with_calls_ns_ = 0;
    silent_since_ns_.store(0, std::memory_order_relaxed);
  } else if (calls != calls_) {
    with_calls_ns_ += std::min(now_ns - last_look_ns_, kLongestLook);
    if (with_calls_ns_ > kSilence && silent_since_ns() == 0) {
      silent_since_ns_.store(last_buffer_ns_, std::memory_order_relaxed);
    }
  }
  buffers_ = buffers;
  calls_ = calls;
  last_look_ns_ = now_ns;
}

// A clock that was never the system's belongs to another platform (WSL). One that changes before the first record has
// merely settled. One that changes while records arrive belongs to someone else's callback.
void Watch::look_at_clock(const CuptiTable& table, std::uint64_t clock_steps) {
  std::uint64_t stamp = 0;
  const std::int64_t before = realtime_ns();
  if (table.get_timestamp(&stamp) != CUPTI_SUCCESS) return;
  const std::int64_t after = realtime_ns();
  const auto cupti = static_cast<std::int64_t>(stamp);
  const bool outside = cupti < before - kSecond || cupti > after + kSecond;
  outside_ = outside ? outside_ + 1 : 0;
  clock_was_ours_ = clock_was_ours_ || !outside;
  if (clock_was_ours_ && outside_ >= 2 && clock_steps > 0) foreign_clock_.store(true, std::memory_order_relaxed);
}

}  // namespace lanescope::capture::cupti
