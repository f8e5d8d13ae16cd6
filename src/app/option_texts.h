// What is written from the command line's own options: their completion in shells, and the page of man(1).
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::app {

struct OptionValues {
  enum class ValueKind : std::uint8_t { Anything, Words, Files, Folders, Command };
  ValueKind kind = ValueKind::Anything;
  std::vector<std::string> words;  ///< if they are known
};
OptionValues option_values(const CLI::Option& option);

/// A command's options that its help shows, without positional ones.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);
/// "-h", "--help".
std::vector<std::string> spellings(const CLI::Option& option);
/// False: a flag.
bool takes_value(const CLI::Option& option);
/// The commands in the help's order.
std::vector<const CLI::App*> commands_of(const CLI::App& root);

// --- completions -----------------------------------------------------------------------------------------------------
// Completion of the command line in shells, written from the options themselves.

/// The script for "bash", "zsh" or "fish". Throws base::UsageError for another shell.
std::string completions(const CLI::App& root, const std::string& shell);

// --- man page --------------------------------------------------------------------------------------------------------
// The page of man(1), written from the command line's own help.

std::string man_page(const CLI::App& root);

}  // namespace lanescope::app
