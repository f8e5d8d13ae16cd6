// The width of text on a terminal, and wrapping of paragraphs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

/// The number of terminal columns of a UTF-8 text; a Chinese character takes two.
std::size_t display_width(std::string_view text);

/// Wraps a paragraph to lines of at most `width` columns (a single word may be wider). Chinese may break between any
/// two characters, except before closing punctuation and after an opening bracket.
std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width);

}  // namespace lanescope::app
