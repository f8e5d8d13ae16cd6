// The time by which the window and a paced run go: the steady clock's, unless a test has put in its own.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <optional>

namespace lanescope::base {

namespace detail {
using Ticks = std::chrono::steady_clock::rep;
inline constexpr Ticks kNoTest = std::numeric_limits<Ticks>::min();
inline std::atomic<Ticks> time_of_test{kNoTest};
}  // namespace detail

inline std::chrono::steady_clock::time_point now() {
  const detail::Ticks set = detail::time_of_test.load(std::memory_order_relaxed);
  if (set == detail::kNoTest) return std::chrono::steady_clock::now();
  return std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(set));
}

/// For tests: from now on, on every thread, it is this time. Empty: the steady clock's again.
inline void set_now(std::optional<std::chrono::steady_clock::time_point> time) {
  detail::time_of_test.store(time ? time->time_since_epoch().count() : detail::kNoTest, std::memory_order_relaxed);
}

}  // namespace lanescope::base
