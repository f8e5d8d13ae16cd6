// Pieces of HTML. Everything from a file or the user must go through escaped().
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::app::html {

/// Texts in a file are unlimited, those of a page are not: longer ones end in "…".
inline constexpr std::size_t kMostLetters = 300;

/// Escapes text for an element or a quoted attribute: valid UTF-8, `& < > " '` as references, control characters as
/// U+FFFD, at most `letters` code points.
std::string escaped(std::string_view text, std::size_t letters = kMostLetters);
/// Our own text, translated.
inline std::string words(const char* text) { return escaped(base::tr(text)); }
/// The same with placeholders, to be filled with numbers or HTML.
template <class... Arguments>
std::string sentence(base::Pattern<std::type_identity_t<const Arguments&>...> text, const Arguments&... arguments) {
  return base::tr(text, arguments...);
}
/// <code>name</code>
std::string code(std::string_view name);
/// With a narrow no-break space before the unit.
std::string narrow(std::string text);
/// "162.1 µs" on one line.
std::string duration(double ns);
/// "41 %" for 0.41; below ten per cent "3.2 %", "0.4 %".
std::string percent(double share);
std::string count(std::int64_t n);
/// "1 iteration", "1,000 iterations"
std::string iterations(std::int64_t n);
/// A rate per iteration: "1", "0.25", "16".
std::string rate(double n);
std::string bytes(std::int64_t n);
/// A number for CSS and SVG: at most two decimals.
std::string number(double value);

}  // namespace lanescope::app::html
