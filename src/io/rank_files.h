// Reads the files of one job, several at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/merge_ranks.h"
#include "io/reading.h"

namespace lanescope::io {

/// More files are not opened at once.
inline constexpr std::size_t kMostFiles = 1024;

/// Throws base::FileError, which names the file: one that is there twice, a folder among several; or too many.
void check_files(const std::vector<std::filesystem::path>& files);

/// In the order of `files`, each named so that no two have one name. Throws what read_file() throws for the first file
/// that cannot be read. `progress` receives their common progress. With `others`, JSON files that are no traces
/// (NotATrace) are left out, and their names put there, unless there are no others.
std::vector<RankTrace> read_ranks(const std::vector<std::filesystem::path>& files, ReadProgress* progress,
                                  const ReadLimits& limits, std::vector<std::string>* others = nullptr);

}  // namespace lanescope::io
