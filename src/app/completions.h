// Completion of the command line in shells, written from the options themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanescope::app {

/// The script for "bash", "zsh" or "fish". Throws base::UsageError for another shell.
std::string completions(const CLI::App& root, const std::string& shell);

}  // namespace lanescope::app
