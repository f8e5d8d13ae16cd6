// How wide a text is on a terminal, and where a paragraph is broken into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

/// How many columns of a terminal a UTF-8 text takes; a Chinese character takes two.
std::size_t display_width(std::string_view text);

/// The paragraph in lines of at most `width` columns (a single word may be wider). Chinese is broken between
/// characters, not before closing punctuation and not after an opening bracket.
std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width);

}  // namespace lanescope::app
