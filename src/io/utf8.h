// Text that comes from elsewhere need not be UTF-8; what we write must be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lanescope::io {

inline constexpr char32_t kInvalidCodePoint = 0xFFFFFFFF;

/// The code point that starts at text[i], and moves i behind it. A byte that is no UTF-8 (overlong forms, surrogates
/// and cut-off sequences included) gives kInvalidCodePoint and moves i by one.
char32_t next_code_point(std::string_view text, std::size_t& i);

void append_utf8(std::string& out, char32_t code_point);

/// The text with every invalid byte replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace lanescope::io
