// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::io {

/// Escapes text for an element or a quoted attribute: valid UTF-8, with `& < > " '` as references. Characters not
/// allowed there (invalid bytes, control characters except tab and line feed) become U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace lanescope::io
