#include "app/text_layout.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope::app {
namespace {

// The code point at the begin of `text` and its bytes; what is no UTF-8 is one byte.
std::pair<char32_t, std::size_t> first_letter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  char32_t point = lead & (0x7Fu >> bytes);
  for (const char c : text.substr(1, bytes - 1)) point = (point << 6) | (static_cast<unsigned char>(c) & 0x3Fu);
  return {point, bytes};
}

// East Asian Wide and Fullwidth, as far as texts are written with them.
bool is_wide(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 8> kWide{{{0x1100, 0x115F},
                                                                {0x2E80, 0xA4CF},
                                                                {0xAC00, 0xD7A3},
                                                                {0xF900, 0xFAFF},
                                                                {0xFE30, 0xFE6F},
                                                                {0xFF00, 0xFF60},
                                                                {0xFFE0, 0xFFE6},
                                                                {0x20000, 0x3FFFD}}};
  return std::any_of(kWide.begin(), kWide.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

constexpr std::u32string_view kClosing = U"，。；：！？、）》」』】”’…%,.;:!?)";
constexpr std::u32string_view kOpening = U"（《「『【“‘(";

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [letter, bytes] = first_letter(text);
    if (bytes > 1 || (letter & 0xC0) != 0x80) width += is_wide(letter) ? 2 : 1;
    text.remove_prefix(bytes);
  }
  return width;
}

std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width) {
  std::vector<std::string> lines;
  std::string line, piece;
  bool space = false;  // before the piece
  const auto place = [&] {
    if (piece.empty()) return;
    const std::size_t gap = space && !line.empty() ? 1 : 0;
    if (!line.empty() && display_width(line) + gap + display_width(piece) > width) {
      lines.push_back(std::exchange(line, {}));
    } else if (gap == 1) {
      line += ' ';
    }
    line += std::exchange(piece, {});
    space = false;
  };
  char32_t before = 0;
  while (!paragraph.empty()) {
    const auto [letter, bytes] = first_letter(paragraph);
    if (letter == ' ' || letter == '\n' || letter == '\t') {
      place();
      space = true;
    } else {
      const bool may_break = (is_wide(before) || is_wide(letter)) &&
                             kClosing.find(letter) == std::u32string_view::npos &&
                             kOpening.find(before) == std::u32string_view::npos;
      if (may_break) place();
      piece += paragraph.substr(0, bytes);
    }
    before = letter;
    paragraph.remove_prefix(bytes);
  }
  place();
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

}  // namespace lanescope::app
