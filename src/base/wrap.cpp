#include "base/wrap.h"

#include "base/utf8.h"

namespace lanescope::base {
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

}  // namespace lanescope::base
