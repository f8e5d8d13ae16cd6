#include "base/plain_text.h"

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

// --- control characters ----------------------------------------------------------------------------------------------

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    append_utf8(out, c == kInvalidCodePoint ? U'\uFFFD' : is_control(c) ? U' ' : c);
  }
  return out;
}

// --- wrap ------------------------------------------------------------------------------------------------------------

namespace {

constexpr std::u32string_view kClosing = U"。，、；：？！）】》〉」』”’…—％·,.;:?!)]}%";
constexpr std::u32string_view kOpening = U"（【《〈「『“‘([{";

bool holds(std::u32string_view set, char32_t c) { return set.find(c) != std::u32string_view::npos; }

// True if a line may break between `before` and `c`.
bool may_break(char32_t before, char32_t c) {
  if (before == U' ') return c != U' ';
  if (before == 0 || c == U' ' || before == 0xa0 || c == 0xa0) return false;
  if (!is_wide(before) && !is_wide(c)) return false;
  return !holds(kClosing, c) && !holds(kOpening, before);
}

void add_line(std::string& out, std::string_view line, bool last) {
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  out += line;
  if (!last) out += '\n';
}

}  // namespace

std::string wrap(std::string_view text, float width, const LetterWidth& width_of, LongWords long_words) {
  std::string out;
  std::size_t line = 0;  // start of the current line
  std::size_t cut = 0;   // last possible break in it
  float x = 0, x_at_cut = 0;
  char32_t before = 0;
  for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
    const char32_t c = next_code_point(text, next);
    if (c == U'\n') {
      add_line(out, text.substr(line, at - line), false);
      line = cut = at + 1;
      x = 0;
      before = 0;
      continue;
    }
    if (at > line && may_break(before, c)) {
      cut = at;
      x_at_cut = x;
    }
    const float w = width_of(text.substr(at, next - at));
    const bool one_word = cut == line;
    if (x + w > width && c != U' ' && at > line && (!one_word || long_words == LongWords::Break)) {
      if (one_word) {
        cut = at;
        x_at_cut = x;
      }
      add_line(out, text.substr(line, cut - line), false);
      line = cut;
      x -= x_at_cut;
      x_at_cut = 0;
    }
    x += w;
    before = c;
  }
  add_line(out, text.substr(line), true);
  return out;
}

// --- shell words -----------------------------------------------------------------------------------------------------

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=.,:/+@%") == std::string::npos;
    if (!text.empty()) text += ' ';
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace lanescope::base
