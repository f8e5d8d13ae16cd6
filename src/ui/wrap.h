// Where a paragraph is broken into lines. Chinese has no spaces: it may be broken between any two of its characters,
// but not before closing punctuation and not after an opening bracket.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lanescope::ui {

/// The width of one letter, given as its bytes.
using LetterWidth = std::function<float(std::string_view letter)>;

/// `text` (UTF-8) with line breaks so that no line is wider than `width`; a word that is wider than a line is broken
/// where it must be. Spaces at a break go.
std::string wrap(std::string_view text, float width, const LetterWidth& width_of);

/// Chinese characters and the punctuation that comes with them.
bool is_chinese(char32_t character);
/// The character that begins at `at`, and its length in bytes (1 for what is no UTF-8).
char32_t character_at(std::string_view text, std::size_t at, std::size_t& length);

}  // namespace lanescope::ui
