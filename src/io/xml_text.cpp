#include "io/xml_text.h"

#include "base/plain_text.h"

namespace lanescope::io {
namespace {

bool is_allowed(char32_t c) {
  return c == '\t' || c == '\n' || (!base::is_control(c) && c < 0xfffe) || (c >= 0x10000 && c <= 0x10ffff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = base::next_code_point(text, i);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        base::append_utf8(out, is_allowed(c) ? c : U'\uFFFD');
    }
  }
  return out;
}

}  // namespace lanescope::io
