#include "app/text_layout.h"

#include "base/plain_text.h"

namespace lanescope::app {
namespace {

// Collapses white space to single spaces between words.
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t') {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const bool continuation = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    const char32_t letter = base::next_code_point(text, i);
    if (!continuation) width += base::is_wide(letter) ? 2 : 1;
  }
  return width;
}

std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width) {
  const auto columns = [](std::string_view letter) { return static_cast<float>(display_width(letter)); };
  const std::string text =
      base::wrap(single_spaced(paragraph), static_cast<float>(width), columns, base::LongWords::Keep);
  std::vector<std::string> lines{{}};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace lanescope::app
