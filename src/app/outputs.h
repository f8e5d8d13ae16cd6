// Checks the files that a command will write before anything runs, so that a wrong path does not cost a run.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lanescope::app {

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
