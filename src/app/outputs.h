// The files that a command writes, tried before anything runs: a mistake in a path costs no run.
#pragma once

#include <filesystem>
#include <vector>

namespace lanescope::app {

/// Empty paths and "-" are passed over. Throws base::FileError when one cannot be written, base::UsageError when two
/// are the same file.
void check_outputs(const std::vector<std::filesystem::path>& paths);

/// Where the second trace of a command goes: "loop.json.gz" becomes "loop-compare.json.gz".
std::filesystem::path comparison_path(const std::filesystem::path& path);

}  // namespace lanescope::app
