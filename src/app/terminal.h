// Standard output and what the terminal behind it can do.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lanescope::app {

/// Writes to standard output at once; throws base::FileError when it cannot (a full disk behind a redirection).
void write_out(std::string_view text);

/// `json` as a command line gives it: "-" is standard output, else a path. Throws base::FileError.
void write_json(const std::string& json, std::string_view text);

/// The text without line breaks and other control characters, so that it stays one line on any terminal.
std::string one_line(std::string_view text);

/// A line on standard error, behind the program's name.
void say(std::string_view line);

/// Escape sequences, all empty where colours are not wanted.
struct Style {
  std::string_view bold, dim, accent, off;
};
/// Colours only on a terminal, and never when NO_COLOR is set (no-color.org) or TERM is "dumb".
Style style_for(std::FILE* stream);

bool is_terminal(std::FILE* stream);

}  // namespace lanescope::app
