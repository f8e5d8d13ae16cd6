#include "base/utf8.h"

#include <utf8.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace lanescope::base {
namespace {

constexpr std::size_t kLongestSequence = 4;

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& i) {
  const char* const begin = text.data() + i;
  if (static_cast<unsigned char>(*begin) < 0x80) {
    ++i;
    return static_cast<unsigned char>(*begin);
  }
  // utf8::next() throws on invalid bytes, which would make a long invalid text slow.
  const char* const end = begin + std::min(kLongestSequence, text.size() - i);
  if (utf8::find_invalid(begin, end) == begin) {
    ++i;
    return kInvalidCodePoint;
  }
  const char* next = begin;
  const char32_t code_point = utf8::unchecked::next(next);
  i += static_cast<std::size_t>(next - begin);
  return code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
  utf8::unchecked::append(code_point, std::back_inserter(out));
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t code_point = next_code_point(text, i);
    append_utf8(out, code_point == kInvalidCodePoint ? U'\uFFFD' : code_point);
  }
  return out;
}

bool is_wide(char32_t code_point) {
  using Range = std::pair<char32_t, char32_t>;
  constexpr std::array kWide{Range{0x1100, 0x115F}, Range{0x2E80, 0xA4CF},  Range{0xAC00, 0xD7A3},
                             Range{0xF900, 0xFAFF}, Range{0xFE30, 0xFE6F},  Range{0xFF00, 0xFF60},
                             Range{0xFFE0, 0xFFE6}, Range{0x20000, 0x3FFFD}};
  return std::ranges::any_of(
      kWide, [code_point](const Range& range) { return code_point >= range.first && code_point <= range.second; });
}

}  // namespace lanescope::base
