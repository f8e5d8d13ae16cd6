#include "io/utf8.h"

namespace lanescope::io {

char32_t next_code_point(std::string_view text, std::size_t& i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 && lead <= 0xF4  ? 3
                   : lead >= 0xE0 && lead < 0xF0 ? 2
                   : lead >= 0xC2 && lead < 0xE0 ? 1
                                                 : 0;
  if (more == 0 || text.size() - i < static_cast<std::size_t>(more)) return kInvalidCodePoint;
  char32_t code_point = lead & (0x3Fu >> more);
  for (int k = 0; k < more; ++k) {
    const unsigned char next = byte(i + static_cast<std::size_t>(k));
    if ((next & 0xC0u) != 0x80) return kInvalidCodePoint;
    code_point = code_point << 6 | (next & 0x3Fu);
  }
  const bool overlong = (more == 2 && code_point < 0x800) || (more == 3 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (overlong || surrogate || code_point > 0x10FFFF) return kInvalidCodePoint;
  i += static_cast<std::size_t>(more);
  return code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto put = [&](char32_t value) { out.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t code_point = next_code_point(text, i);
    append_utf8(out, code_point == kInvalidCodePoint ? U'\uFFFD' : code_point);
  }
  return out;
}

}  // namespace lanescope::io
