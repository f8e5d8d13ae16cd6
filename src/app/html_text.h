// Pieces of HTML. What comes from a file or a person goes through escaped(), without exception.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::app::html {

/// Texts of a file have no limit, a page does: what is longer ends in "…".
inline constexpr std::size_t kMostLetters = 300;

/// For the inside of an element or of a quoted attribute: valid UTF-8, `& < > " '` as references, control characters as
/// U+FFFD, at most `letters` code points.
std::string escaped(std::string_view text, std::size_t letters = kMostLetters);
/// Our own text, translated.
inline std::string words(const char* text) { return escaped(base::tr(text)); }
/// The same with its places filled in, by numbers or HTML.
template <class... Arguments>
std::string sentence(const char* text, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(base::tr(text)), arguments...);
}
/// <code>name</code>
std::string code(std::string_view name);
/// "162.1 µs" on one line.
std::string duration(double ns);
/// "41 %" from 0.41; "3.2 %" and "0.4 %" below ten.
std::string percent(double share);
std::string count(std::int64_t n);
/// "1 iteration", "1,000 iterations"
std::string iterations(std::int64_t n);
/// "1", "0.25", "16": how often per iteration.
std::string rate(double n);
std::string bytes(std::int64_t n);
/// A number for CSS and SVG: two decimals at most.
std::string number(double value);

}  // namespace lanescope::app::html
