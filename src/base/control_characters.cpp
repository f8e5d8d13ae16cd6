#include "base/control_characters.h"

#include "base/utf8.h"

namespace lanescope::base {

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    append_utf8(out, c == kInvalidCodePoint ? U'\uFFFD' : is_control(c) ? U' ' : c);
  }
  return out;
}

}  // namespace lanescope::base
