#include "base/from_chars.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace lanescope::base {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* after_digits(const char* at, const char* last) {
  while (at != last && is_digit(*at)) ++at;
  return at;
}

// Of "inf", "infinity", "nan" at the front of a text, in any case; 0 if it begins otherwise.
std::size_t length_of_word(std::string_view text) {
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    bool same = text.size() >= word.size();
    for (std::size_t i = 0; same && i < word.size(); ++i) same = (text[i] | 0x20) == word[i];
    if (same) return word.size();
  }
  return 0;
}

// The end of the number at `first`, or `first` if there is none.
const char* end_of_number(const char* first, const char* last, bool exponent) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  if (const std::size_t word = length_of_word({at, static_cast<std::size_t>(last - at)})) return at + word;
  const char* const whole = at;
  at = after_digits(at, last);
  bool any = at != whole;
  if (at != last && *at == '.') {
    const char* const end = after_digits(at + 1, last);
    any |= end != at + 1;
    if (any) at = end;
  }
  if (!any) return first;
  if (exponent && at != last && (*at | 0x20) == 'e') {
    const char* digits = at + 1;
    if (digits != last && (*digits == '+' || *digits == '-')) ++digits;
    if (const char* const end = after_digits(digits, last); end != digits) at = end;
  }
  return at;
}

}  // namespace

std::from_chars_result double_from_chars(const char* first, const char* last, double& value, std::chars_format format) {
  const bool exponent = format != std::chars_format::fixed;
  const char* const end = end_of_number(first, last, exponent);
  if (end == first) return {first, std::errc::invalid_argument};
  const std::string text(first, end);  // strtod wants a zero at the end
  const double read = std::strtod(text.c_str(), nullptr);
  const bool word = length_of_word(std::string_view(text).substr(text[0] == '-')) != 0;
  const bool digits = text.find_first_of("123456789") < text.find_first_of("eE");
  if (!word && (std::isinf(read) || (read == 0 && digits))) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc()};
}

}  // namespace lanescope::base
