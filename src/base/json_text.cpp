#include "base/json_text.h"

#include <algorithm>

#include "base/plain_text.h"
#include "base/time.h"

namespace lanescope::base {
namespace {

void append_escape(std::string& out, unsigned char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

bool json_is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool append_json_string(std::string& out, std::string_view text) {
  bool valid = true;
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (c < 0x20 || c == 0x7F || c == '"' || c == '\\') {
        append_escape(out, c);
      } else {
        out += static_cast<char>(c);
      }
      ++i;
      continue;
    }
    const std::size_t begin = i;
    if (next_code_point(text, i) == kInvalidCodePoint) {
      out += "\\ufffd";
      valid = false;
    } else {
      out += text.substr(begin, i - begin);
    }
  }
  out += '"';
  return valid;
}

void append_number(std::string& out, double value) {
  char digits[40];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_microseconds(std::string& out, Nanoseconds ns) {
  auto magnitude = static_cast<std::uint64_t>(ns);
  if (ns < 0) {
    out += '-';
    magnitude = 0 - magnitude;
  }
  append_number(out, magnitude / 1000);
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

std::optional<Nanoseconds> parse_microseconds(std::string_view text) {
  std::size_t i = 0;
  const auto more = [&] { return i < text.size(); };
  const bool negative = more() && text[i] == '-';
  if (more() && (text[i] == '-' || text[i] == '+')) ++i;

  // The value is `digits` * 10^exponent nanoseconds; digits beyond an integer's range still count as places.
  std::string digits;
  long exponent = 3;
  bool any = false;
  const auto take_digits = [&](bool fraction) {
    for (; more() && json_is_digit(text[i]); ++i) {
      any = true;
      if (fraction) --exponent;
      if (digits.empty() && text[i] == '0') continue;
      if (digits.size() < 40) {
        digits += text[i];
      } else {
        ++exponent;
      }
    }
  };
  take_digits(false);
  if (more() && text[i] == '.') {
    ++i;
    take_digits(true);
  }
  if (!any) return std::nullopt;
  if (more() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool down = more() && text[i] == '-';
    if (more() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!more()) return std::nullopt;
    long written = 0;
    for (; more() && json_is_digit(text[i]); ++i) written = std::min(written * 10 + (text[i] - '0'), 100'000L);
    exponent += down ? -written : written;
  }
  if (more()) return std::nullopt;
  if (digits.empty()) return 0;

  const long places = static_cast<long>(digits.size()) + exponent;  // of the integer part
  if (places > 19) return std::nullopt;
  if (places < 0) return 0;
  std::uint64_t magnitude = 0;
  for (long p = 0; p < places; ++p) {
    const auto k = static_cast<std::size_t>(p);
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(k < digits.size() ? digits[k] - '0' : 0);
  }
  const auto next = static_cast<std::size_t>(places);
  if (next < digits.size() && digits[next] >= '5') ++magnitude;
  if (magnitude > static_cast<std::uint64_t>(kMaxTime)) return std::nullopt;
  const auto ns = static_cast<Nanoseconds>(magnitude);
  return negative ? -ns : ns;
}

}  // namespace lanescope::base
