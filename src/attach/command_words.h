// A command as a person types it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::attach {

/// Splits as a shell does: blanks separate words, quotes ('...', "...") and backslashes keep what they quote, "~/" at
/// the start of a word is the home folder. No shell is run: what only a shell can do is refused. Throws
/// base::UsageError, which names the character.
std::vector<std::string> split_words(std::string_view text);
/// The inverse, for a shell, too: a word is quoted if anything in it might mean something to one.
std::string joined_words(const std::vector<std::string>& words);

/// NAME=VALUE on each line; everything after the "=" is the value. Empty lines are skipped. Throws base::UsageError,
/// which names the line.
std::map<std::string, std::string> parse_variables(std::string_view text);

}  // namespace lanescope::attach
