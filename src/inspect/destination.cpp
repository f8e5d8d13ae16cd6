#include "inspect/destination.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/from_chars.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using Kind = TypedDestination::Kind;

constexpr double kLongest = 9e18;  // ns: the 64-bit limit

// Lower case, without spaces and thousands separators, µ as u.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == ' ' || c == '\t') continue;
    if (c == ',') {  // "1,204" as displayed by the window, or "12,5" as the decimal comma for 12.5
      std::size_t digits = 0;
      while (i + 1 + digits < text.size() && text[i + 1 + digits] >= '0' && text[i + 1 + digits] <= '9') ++digits;
      if (digits != 3) result += '.';
      continue;
    }
    if ((c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xB5) ||  // µ, micro
        (c == 0xCE && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) == 0xBC)) {  // μ, mu
      result += 'u';
      ++i;
    } else {
      result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  return result;
}

std::optional<double> unit_ns(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"sec", 1e9}, {"min", 60e9}, {"h", 3600e9}}};
  for (const auto& [name, ns] : kUnits) {
    if (name == unit) return ns;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

TypedDestination parse_destination(std::string_view typed) {
  const std::string text = plain(typed);
  TypedDestination result;
  if (text.empty()) return result;
  result.kind = Kind::Unreadable;
  for (const std::string_view word : {"iteration", "iter", "i", "#", ""}) {
    if (!text.starts_with(word)) continue;
    if (const auto number = whole_number(std::string_view(text).substr(word.size()))) {
      result.kind = Kind::Iteration;
      result.iteration = *number;
      return result;
    }
  }
  const bool sign = text[0] == '+' || text[0] == '-';
  double number = 0;
  const char* begin = text.data() + (sign ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = base::from_chars(begin, end, number, std::chars_format::fixed);
  if (error != std::errc() || rest == begin || !(*begin == '.' || (*begin >= '0' && *begin <= '9'))) return result;
  const auto unit = unit_ns({rest, static_cast<std::size_t>(end - rest)});
  if (!unit || number * *unit > kLongest) return result;
  result.kind = sign ? Kind::Relative : Kind::Time;
  result.ns = static_cast<Nanoseconds>(std::llround(number * *unit)) * (text[0] == '-' ? -1 : 1);
  return result;
}

std::string time_in_full(Nanoseconds ns) {
  const auto size = std::abs(static_cast<double>(ns));
  const double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1;
  const char* name = size >= 1e9 ? "s" : size >= 1e6 ? "ms" : size >= 1e3 ? "µs" : "ns";
  std::string digits = fmt::format("{:.{}f}", static_cast<double>(ns) / unit,
                                   unit == 1     ? 0
                                   : unit == 1e3 ? 3
                                   : unit == 1e6 ? 6
                                                 : 9);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + " " + name;
}

}  // namespace lanescope::ui
