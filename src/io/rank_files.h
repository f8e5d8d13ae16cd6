// Reads the files of one job, several at a time.
#pragma once

#include <filesystem>
#include <vector>

#include "io/merge_ranks.h"
#include "io/read_progress.h"

namespace lanescope::io {

/// More files are not opened at once.
inline constexpr std::size_t kMostFiles = 1024;

/// Throws base::FileError, which names the file: one that is there twice, a folder among several; or too many.
void check_files(const std::vector<std::filesystem::path>& files);

/// In the order of `files`, each named so that no two have one name. Throws what read_trace() throws for the first file
/// that cannot be read. `progress` receives their common progress.
std::vector<RankTrace> read_ranks(const std::vector<std::filesystem::path>& files, ReadProgress* progress,
                                  const ReadLimits& limits);

}  // namespace lanescope::io
