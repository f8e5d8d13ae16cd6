#include "app/html_text.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/figure.h"
#include "base/plain_text.h"
#include "io/escaped_text.h"

namespace lanescope::app::html {
namespace {

constexpr const char* kNarrowSpace = "\u202f";  // non-breaking

std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string narrow(std::string text) {
  if (const std::size_t space = text.rfind(' '); space != std::string::npos) text.replace(space, 1, kNarrowSpace);
  return text;
}

std::string escaped(std::string_view text, std::size_t letters) {
  std::string line;
  std::size_t end = 0;
  for (std::size_t n = 0; n < letters && end < text.size(); ++n) base::next_code_point(text, end);
  for (const char c : text.substr(0, end)) line += c == '\n' || c == '\t' ? ' ' : c;
  return io::xml_text(line) + (end < text.size() ? "…" : "");
}

std::string code(std::string_view name) { return "<code>" + escaped(name) + "</code>"; }

std::string duration(double ns) { return narrow(base::duration_text(ns)); }

std::string percent(double share) { return narrow(analysis::share_text(share)); }

std::string count(std::int64_t n) { return base::format_count(n); }

std::string iterations(std::int64_t n) { return n == 1 ? words("1 iteration") : sentence("{} iterations", count(n)); }

std::string rate(double n) {
  if (n >= 1000) return base::format_count(std::llround(n));
  return trimmed(fmt::format("{:.{}f}", n, n >= 100 ? 0 : n >= 10 ? 1 : n >= 0.1 ? 2 : 4));
}

std::string bytes(std::int64_t n) { return narrow(base::format_bytes(n)); }

std::string number(double value) { return trimmed(fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0)); }

}  // namespace lanescope::app::html
