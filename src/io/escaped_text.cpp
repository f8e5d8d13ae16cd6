#include "io/escaped_text.h"

#include <algorithm>
#include <array>

#include "base/plain_text.h"

namespace lanescope::io {
namespace {

constexpr std::array<std::string_view, 11> kFormulas = {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"};

constexpr std::string_view kSpaces = "\t\r\n";  // a quoted field may hold them

void append_field(std::string& csv, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    csv += text;
    return;
  }
  csv += '"';
  for (const char c : text) csv.append(c == '"' ? 2 : 1, c);
  csv += '"';
}

}  // namespace

void append_csv_line(std::string& csv, std::span<const std::string> fields) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (f > 0) csv += ',';
    append_field(csv, fields[f]);
  }
  csv += "\r\n";
}

std::string csv_text(std::string_view text) {
  const bool calculated = std::ranges::any_of(kFormulas, [&](std::string_view f) { return text.starts_with(f); });
  std::string cell = calculated ? "'" : "";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const char32_t c = base::next_code_point(text, i);
    if (base::is_control(c) && kSpaces.find(text[begin]) == std::string_view::npos) {
      base::append_utf8(cell, U'\uFFFD');
    } else {
      cell += text.substr(begin, i - begin);
    }
  }
  return cell;
}

// --- xml text --------------------------------------------------------------------------------------------------------

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
