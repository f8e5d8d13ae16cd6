// Characters that steer a terminal, or a text around them, instead of being shown. Names from files may hold them.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::base {

/// Control characters, of which terminals obey those from U+0080 to U+009F, too; line separators; and what turns the
/// direction of writing, with which a name could look like another one.
constexpr bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

/// Valid UTF-8 in one line: a space for each of them, U+FFFD for a byte that belongs to no character.
std::string without_controls(std::string_view text);

}  // namespace lanescope::base
