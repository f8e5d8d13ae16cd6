// Times and how they are displayed. All times in the model are signed 64-bit nanoseconds.
#pragma once

#include <cstdint>
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

/// Formats a duration with at most four significant digits and a suitable unit: "268.4 µs", "1.2 s", "0 ns".
std::string format_duration(Nanoseconds ns);
/// The same of a mean, rounded to whole nanoseconds.
std::string duration_text(double ns);

/// Formats a count with thousands separators: "1,204,331".
std::string format_count(std::int64_t count);

/// Formats bytes in powers of 1000, as link bandwidths are quoted: "512 kB", "1.6 GB".
std::string format_bytes(std::int64_t bytes);

}  // namespace lanescope::base
