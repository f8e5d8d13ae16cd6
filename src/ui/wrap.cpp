#include "ui/wrap.h"

namespace lanescope::ui {
namespace {

constexpr std::u32string_view kClosing = U"。，、；：？！）】》〉」』”’…—％·,.;:?!)]}%";
constexpr std::u32string_view kOpening = U"（【《〈「『“‘([{";

bool holds(std::u32string_view set, char32_t c) { return set.find(c) != std::u32string_view::npos; }

// A line may end with `before` and the next begin with `c`.
bool may_break(char32_t before, char32_t c) {
  if (before == U' ') return c != U' ';
  if (before == 0 || c == U' ' || before == 0xa0 || c == 0xa0) return false;
  if (!is_chinese(before) && !is_chinese(c)) return false;
  return !holds(kClosing, c) && !holds(kOpening, before);
}

void add_line(std::string& out, std::string_view line, bool last) {
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  out += line;
  if (!last) out += '\n';
}

}  // namespace

bool is_chinese(char32_t c) {
  return (c >= 0x2e80 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xff00 && c <= 0xffef);
}

char32_t character_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  length = 1;
  if (wanted == 1 || at + wanted > text.size()) return lead;
  char32_t c = lead & (0xffU >> (wanted + 1));
  for (std::size_t i = 1; i < wanted; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return lead;
    c = c << 6 | (byte(at + i) & 0x3fU);
  }
  length = wanted;
  return c;
}

std::string wrap(std::string_view text, float width, const LetterWidth& width_of) {
  std::string out;
  std::size_t line = 0;  // where the line begins,
  std::size_t cut = 0;   // and where it can end
  float x = 0, x_at_cut = 0;
  char32_t before = 0;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    const char32_t c = character_at(text, at, length);
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
    const float w = width_of(text.substr(at, length));
    if (x + w > width && c != U' ' && at > line) {
      if (cut == line) {  // one word, wider than the line
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

}  // namespace lanescope::ui
