// The files of one job's ranks, or of several machines: read several at a time, they become one trace on one clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/reading.h"

namespace lanescope::io {

struct RankTrace {
  std::string name;  ///< of the file, with its folder's only where several have one name
  OpenedTrace opened;
};

/// The rank in a file's name: 3 for "rank3.json", "rank-3.json.gz", "job_rank_3.lanescope"; empty if it names none.
std::optional<int> rank_in_name(std::string_view name);

/// How far each trace's clock is moved, and how well they agree then.
struct Alignment {
  std::vector<base::Nanoseconds> shift_ns;  ///< to be added to the times of each trace
  /// Nine tenths of the collectives end within this time of each other; 0: not known, or there was nothing to align.
  base::Nanoseconds error_ns = 0;
  std::int64_t collectives = 0;  ///< that it is based on
  bool by_collectives = false;   ///< otherwise by the times of day in the files, or by nothing at all
};
/// All ranks leave a collective within its last moments. So the clocks are set to agree at the ends of those that every
/// trace has (all-reduce, all-gather, reduce-scatter), unless they agree already: the traces of one machine have one
/// clock. Never by their starts: how far these are apart is what shall be seen.
Alignment align_ranks(const std::vector<RankTrace>& ranks);

/// Several recordings of one worker, which follow each other, become one, in which the time between them is not
/// recorded. Those of several ranks: their processes are named by rank: the one that a file states, otherwise the one
/// in its name. Equal process numbers get hosts of their own, named like the files. Throws base::Error if there are too
/// many lanes. At least one trace; of a single one, only which other ranks are missing is added.
OpenedTrace merge_ranks(std::vector<RankTrace> ranks);

// --- rank files ------------------------------------------------------------------------------------------------------
// Reads the files of one job, several at a time.

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
