// External text need not be valid UTF-8; our output must be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace lanescope::base
