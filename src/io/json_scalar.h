// A number, text or boolean of a JSON file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::io {

/// A process or thread: a number or, in some tools' files, a text ("Spans").
struct RawId {
  bool is_text = false;
  std::int64_t number = 0;
  std::string_view text;
};

struct RawTime {
  bool present = false;
  std::optional<base::Nanoseconds> ns;  ///< empty: not a valid time
};

struct Scalar {
  enum class Type : std::uint8_t { None, Boolean, Integer, Real, Text } type = Type::None;
  std::int8_t decimals = -1;  ///< of a Real: it is `integer` / 10^decimals; -1: not known
  std::int64_t integer = 0;
  std::string_view text;  ///< of a Real: as written

  static Scalar of_text(std::string_view text) { return {Type::Text, -1, 0, text}; }

  std::optional<std::int64_t> as_integer() const {
    if (type == Type::Integer) return integer;
    return converted_to_integer();
  }
  std::optional<double> as_real() const;
  RawTime as_time() const;  ///< of microseconds
  RawId as_id() const {
    if (type == Type::Integer) return {false, integer, {}};
    if (const auto number = converted_to_integer()) return {false, *number, {}};
    return {true, 0, text};
  }
  std::string written() const;

 private:
  std::optional<std::int64_t> converted_to_integer() const;
};

}  // namespace lanescope::io
