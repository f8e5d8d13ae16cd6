// What may follow an option or stand in an argument's place, for the shells that complete it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::app {

struct OptionValues {
  enum class Kind : std::uint8_t { Anything, Words, Files, Folders, Command };
  Kind kind = Kind::Anything;
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

}  // namespace lanescope::app
