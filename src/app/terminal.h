// Standard output, and the capabilities of its terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lanescope::app {

/// Writes to standard output and flushes. Throws base::FileError if that fails (a full disk behind a redirection).
void write_out(std::string_view text);

/// What could steer a terminal and is not of a Style becomes a space, whatever names a file contains.
std::string for_terminal(std::string_view text);

/// write_out() for words and tables: of for_terminal().
void write_words(std::string_view text);

/// Writes to standard output if `json` is "-", otherwise to that path. A terminal gets for_terminal() of it, everything
/// else the exact bytes. Throws base::FileError.
void write_json(const std::string& json, std::string_view text);

/// Replaces line breaks and other control characters, so that the text stays one line on any terminal.
std::string one_line(std::string_view text);

/// Prints a line on standard error, after the program's name.
void say(std::string_view line);

/// Escape sequences; all empty without colours.
struct Style {
  std::string_view bold, dim, accent, off;
};
/// Colours only on a terminal, and never if NO_COLOR is set (no-color.org) or TERM is "dumb".
Style style_for(std::FILE* stream);

bool is_terminal(std::FILE* stream);

}  // namespace lanescope::app
