// std::from_chars, for floating-point numbers where the standard library has none, too (libc++).
#pragma once

#include <charconv>
#include <type_traits>

namespace lanescope::base {

/// As specified for double, by std::strtod: the longest prefix of [first, last) that is a number in the C locale,
/// without white space, "+" or "0x" at its front. `fixed`: an exponent is not part of it.
std::from_chars_result double_from_chars(const char* first, const char* last, double& value,
                                         std::chars_format format = std::chars_format::general);

template <class Number, class... Format>
std::from_chars_result from_chars(const char* first, const char* last, Number& value, Format... format) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(first, last, value, format...);
#else
  if constexpr (std::is_floating_point_v<Number>) {
    static_assert(std::is_same_v<Number, double>);
    return double_from_chars(first, last, value, format...);
  } else {
    return std::from_chars(first, last, value, format...);
  }
#endif
}

}  // namespace lanescope::base
