#include "io/json_scalar.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/from_chars.h"
#include "base/json_text.h"
#include "base/time.h"

namespace lanescope::io {

std::optional<std::int64_t> Scalar::converted_to_integer() const {
  switch (type) {
    case Type::Boolean:
    case Type::Integer:
      return integer;
    case Type::Real: {
      const double real = as_real().value_or(0);
      if (std::abs(real) < 9e18) return static_cast<std::int64_t>(real);
      return std::nullopt;
    }
    case Type::Text: {
      std::int64_t value = 0;
      const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
      return std::nullopt;
    }
    case Type::None:
      break;
  }
  return std::nullopt;
}

// Infinite if it is too large.
std::optional<double> Scalar::as_real() const {
  if (type == Type::Integer) return static_cast<double>(integer);
  if (type != Type::Real) return std::nullopt;
  constexpr std::array<double, 10> kPowers = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  // Both are exact, so that their quotient is the nearest double.
  if (decimals >= 0 && decimals < static_cast<int>(kPowers.size()) && integer > -kExact && integer < kExact &&
      integer != 0) {
    return static_cast<double>(integer) / kPowers[static_cast<std::size_t>(decimals)];
  }
  double real = 0;
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc{}) return real;
  // Out of range: too large, or so small that it is 0.
  const std::size_t exponent = text.find_first_of("eE");
  const bool small = exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
  return small ? 0 : std::numeric_limits<double>::infinity();
}

RawTime Scalar::as_time() const {
  constexpr std::int64_t kThousand = 1000;
  if (type == Type::Real && decimals == 3 && integer <= base::kMaxTime && integer >= -base::kMaxTime)
    return {true, integer};
  if (type == Type::Real || type == Type::Text) return {true, base::parse_microseconds(text)};
  if (type != Type::Integer) return {true, std::nullopt};
  if (integer > base::kMaxTime / kThousand || integer < -base::kMaxTime / kThousand) return {true, std::nullopt};
  return {true, integer * kThousand};
}

std::string Scalar::written() const { return type == Type::Integer ? std::to_string(integer) : std::string(text); }

}  // namespace lanescope::io
