// Text inside other formats: tables as comma-separated values, XML and HTML.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanescope::io {

/// Appends a line (RFC 4180): fields with commas, quotes or line breaks are quoted. Ends with CR LF.
void append_csv_line(std::string& csv, std::span<const std::string> fields);

/// A text from elsewhere, for a cell: spreadsheets would calculate one that begins with = + - @ (or their full-width
/// forms, a tab or a line break), so it gets an apostrophe before it.
/// What would steer a terminal that shows the file becomes U+FFFD.
std::string csv_text(std::string_view text);

// --- xml text --------------------------------------------------------------------------------------------------------
// Text inside XML and HTML.

/// Escapes text for an element or a quoted attribute: valid UTF-8, with `& < > " '` as references. Characters not
/// allowed there (invalid bytes, control characters except tab and line feed) become U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace lanescope::io
