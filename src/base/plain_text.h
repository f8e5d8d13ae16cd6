// Texts: valid UTF-8, characters that steer a terminal, where a line may end, words of a shell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::base {

inline constexpr char32_t kInvalidCodePoint = 0xFFFFFFFF;

/// Returns the code point that starts at text[i] and advances i past it. An invalid byte (including overlong forms,
/// surrogates and truncated sequences) gives kInvalidCodePoint and advances i by one.
char32_t next_code_point(std::string_view text, std::size_t& i);

/// Appends a valid code point.
void append_utf8(std::string& out, char32_t code_point);

/// Returns the text with every invalid byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// True for characters that take two columns on a terminal (East Asian Wide and Fullwidth), such as Chinese characters
/// and punctuation. False for kInvalidCodePoint.
bool is_wide(char32_t code_point);

// --- control characters ----------------------------------------------------------------------------------------------
// Characters that steer a terminal, or a text around them, instead of being shown. Names from files may hold them.

/// Control characters, of which terminals obey those from U+0080 to U+009F, too; line separators; and what turns the
/// direction of writing, with which a name could look like another one.
constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// Valid UTF-8 in one line: a space for each of them, U+FFFD for a byte that belongs to no character.
std::string without_controls(std::string_view text);

// --- wrap ------------------------------------------------------------------------------------------------------------
// Line wrapping. Chinese has no spaces: a line may break between any two characters, except before closing punctuation
// and after an opening bracket.

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

// --- shell words -----------------------------------------------------------------------------------------------------
// Commands to be copied into a shell, or run by the shell of another machine.

/// The words of a command, quoted where a POSIX shell needs it: no word of it is more than one word there.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace lanescope::base
