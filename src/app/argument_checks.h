// What is wrong with a command line, said in one line each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/translate.h"

namespace lanescope::app {

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

/// What stands in the command line for an option: "--json".
std::vector<std::string> option_names(const CLI::App& app);

/// The command that was asked for: a subcommand, or the window.
const CLI::App& asked_for(const CLI::App& root);

/// Of all that follows, before it is parsed: what --lang names, else what the environment does. A value that is no
/// language is refused later, by check_language.
base::Language asked_language(int argc, const char* const* argv);
/// --lang, which every command has.
void add_language(CLI::App& app);

// All of these throw base::UsageError.

void check_language(const CLI::App& app);

std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most);
/// Of the options named, none may be there; `why` is a sentence with a place for the option's name.
void refuse_options(const CLI::App& app, const std::vector<const char*>& options, const char* why);
void refuse_two_on_standard_output(const std::string& json, const std::string& html);
/// "--json --trace x" is a slip, not a file of that name.
void check_values(const CLI::App& app);
/// What CLI11 could not place.
[[noreturn]] void reject_leftover(const CLI::App& root);
/// An option without its value, or given twice.
[[noreturn]] void reject_count(const CLI::App& root, const std::string& message);

}  // namespace lanescope::app
