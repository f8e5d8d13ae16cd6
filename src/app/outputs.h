// Checks the files that a command will write before anything runs, so that a wrong path does not cost a run.
#pragma once

#include <filesystem>
#include <vector>

namespace lanescope::app {

/// Ignores empty paths and "-". Throws base::FileError if a file cannot be written, base::UsageError if two are the
/// same.
void check_outputs(const std::vector<std::filesystem::path>& paths);

/// Ignores empty paths and "-". Throws base::UsageError if one of them is a trace that is read.
void check_not_input(const std::vector<std::filesystem::path>& paths, const std::vector<std::filesystem::path>& inputs);

/// The path of a command's second trace: "loop.json.gz" gives "loop-compare.json.gz".
std::filesystem::path comparison_path(const std::filesystem::path& path);

}  // namespace lanescope::app
