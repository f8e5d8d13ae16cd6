// Line wrapping. Chinese has no spaces: a line may break between any two characters, except before closing punctuation
// and after an opening bracket.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lanescope::base {

/// The width of one character, given as its bytes (a single byte if the text is not UTF-8).
using LetterWidth = std::function<float(std::string_view letter)>;

/// How to treat a word that is wider than a line.
enum class LongWords : std::uint8_t {
  Break,  ///< break it where the line is full
  Keep,   ///< keep it whole on an overlong line
};

/// Inserts line breaks into `text` (UTF-8) so that no line is wider than `width`, in the unit of `width_of`. Existing
/// line breaks stay. Spaces at a new break are removed.
std::string wrap(std::string_view text, float width, const LetterWidth& width_of,
                 LongWords long_words = LongWords::Break);

}  // namespace lanescope::base
