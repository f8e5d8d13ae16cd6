// Checks of the command line, with one-line error messages.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attach/program_state.h"
#include "base/translate.h"

namespace lanescope::app {

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

/// The spelling of an option on the command line: "--json".
std::vector<std::string> option_names(const CLI::App& app);

/// The command given: a subcommand, or the window.
const CLI::App& given_command(const CLI::App& root);

/// The language of all output, determined before parsing: that of --lang, otherwise of the environment.
/// check_language() later rejects an invalid value.
base::Language requested_language(int argc, const char* const* argv);
/// Adds --lang, which every command has.
void add_language(CLI::App& app);

// All of these throw base::UsageError.

void check_language(const CLI::App& app);

std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most);
/// "1234", "1234.3", "1234.3:/opt/lanescope".
attach::JobRank parse_job_rank(const std::string& text);
/// An English sentence with a place for an option's name.
using Refusal = base::Pattern<const char*>;
/// Rejects each of these options if it is given.
void refuse_options(const CLI::App& app, const std::vector<const char*>& options, Refusal why);
void refuse_two_on_standard_output(const std::string& json, const std::string& html);
/// Rejects "--json --trace x", which is a mistake rather than a file of that name.
void check_values(const CLI::App& app);
/// Rejects what CLI11 could not assign.
[[noreturn]] void reject_leftover(const CLI::App& root);
/// Rejects an option without its value, or given twice.
[[noreturn]] void reject_count(const CLI::App& root, const std::string& message);

// --- outputs ---------------------------------------------------------------------------------------------------------
// Checks the files that a command will write before anything runs, so that a wrong path does not cost a run.

/// As the command line or a request has it.
struct OutputPath {
  OutputPath(const std::string& text) : path(text) {}
  OutputPath(const char* text) : path(text) {}
  OutputPath(std::filesystem::path given) : path(std::move(given)) {}
  std::filesystem::path path;
};

/// Ignores empty paths and "-". Throws base::FileError if a file cannot be written, base::UsageError if two are the
/// same.
void check_outputs(const std::vector<OutputPath>& paths);

/// Ignores empty paths and "-". Throws base::UsageError if one of them is a trace that is read.
void check_not_input(const std::vector<OutputPath>& paths, const std::vector<std::filesystem::path>& inputs);

/// The path of a command's second trace: "loop.json.gz" gives "loop-compare.json.gz".
std::filesystem::path comparison_path(const std::filesystem::path& path);

}  // namespace lanescope::app
