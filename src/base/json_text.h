// Functions that write JSON text without a document in memory, and parse the times of the trace format.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::base {

/// Appends `text` as a quoted JSON string. Invalid UTF-8 bytes become U+FFFD; returns false if there were any.
bool append_json_string(std::string& out, std::string_view text);

template <std::integral T>
void append_number(std::string& out, T value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
/// Appends the shortest form that reads back as the same double. `value` must be finite.
void append_number(std::string& out, double value);

/// Nanoseconds as microseconds with exactly three decimals: "-1.500".
void append_microseconds(std::string& out, Nanoseconds ns);

/// Parses decimal microseconds ("1712195495519689.047", "1.5e3") and rounds to the nearest nanosecond. Avoids double,
/// which has too few digits for a time of day. Empty if it is not a number or exceeds kMaxTime.
std::optional<Nanoseconds> parse_microseconds(std::string_view text);

}  // namespace lanescope::base
