// Times and how they are displayed. All times in the model are signed 64-bit nanoseconds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace lanescope::base {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kMicrosecond = 1'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1'000'000'000;

/// Converts microseconds, as used in profiles and settings, to the nearest nanosecond.
constexpr Nanoseconds from_us(double microseconds) {
  return static_cast<Nanoseconds>(microseconds * 1e3 + (microseconds < 0 ? -0.5 : 0.5));
}
constexpr double to_us(Nanoseconds ns) { return static_cast<double>(ns) / 1e3; }
constexpr double to_seconds(Nanoseconds ns) { return static_cast<double>(ns) / 1e9; }

/// Formats a duration with at most four significant digits, or as many as wanted, and a suitable unit: "268.4 µs",
/// "1.2 s", "0 ns".
std::string format_duration(Nanoseconds ns, int digits = 4);
/// The same of a mean, rounded to whole nanoseconds.
std::string duration_text(double ns);

/// Formats a count with thousands separators: "1,204,331".
std::string format_count(std::int64_t count);

/// Formats bytes in powers of 1000, as link bandwidths are quoted: "512 kB", "1.6 GB".
std::string format_bytes(std::int64_t bytes);

// --- time limits -----------------------------------------------------------------------------------------------------
// How far times may lie that come from elsewhere: from files and from other programs.

/// Times in a file are at most this far from 0, so that sums and differences of two fit into Nanoseconds.
inline constexpr Nanoseconds kMaxTime = (Nanoseconds{1} << 62) - 1;

/// 73 years: a clock that counts from 1970 gets there in 2043. What is said about a trace, its marks and which parts
/// were recorded, may lie as far from 0.
inline constexpr Nanoseconds kFarthest = Nanoseconds{1} << 61;
constexpr bool in_reach(Nanoseconds t) { return t >= -kFarthest && t <= kFarthest; }

/// No recording lasts half as long, which is 52 days: events farther from the others have wrong times. A thousand
/// events as long as this have a sum that fits into Nanoseconds.
inline constexpr Nanoseconds kLongestTrace = Nanoseconds{1} << 53;

// --- clock -----------------------------------------------------------------------------------------------------------
// The time by which the window and a paced run go: the steady clock's, unless a test has put in its own.

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
