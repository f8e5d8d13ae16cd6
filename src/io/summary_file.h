// Summaries of ranks (analysis/job_summary.h) as files: a head of 24 bytes, then the summary as one frame of zstd.
//
//   8 bytes that are no text and show a transfer that changed line ends; u32 format, u32 bytes unpacked, u32 bytes
//   packed, u32 CRC-32 of the packed ones
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/job_summary.h"
#include "io/reading.h"

namespace lanescope::io {

inline constexpr std::string_view kSummaryEnding = ".summary";

/// Of a recording of any kind, read for this: a summary for each GPU with collectives, otherwise one; none without a
/// GPU's work. Throws like read_traces().
std::vector<analysis::JobSummary> summaries_of_recording(const std::filesystem::path& path,
                                                         ReadProgress* progress = nullptr);

/// The bytes of its file, at most kMostSummaryBytes: if there are more, fewer collectives and iterations are kept.
std::string packed_summary(analysis::JobSummary summary);
/// Trusts nothing. `name` is that of the file, for messages. Throws base::FileError.
analysis::JobSummary unpacked_summary(std::string_view bytes, std::string_view name);

/// Throws base::FileError.
void write_summary(const std::filesystem::path& path, const analysis::JobSummary& summary);
analysis::JobSummary read_summary(const std::filesystem::path& path);
/// Those in a folder and in those below it, sorted. Throws base::FileError, also without any.
std::vector<std::filesystem::path> summaries_in(const std::filesystem::path& folder);

/// Where the summary of a recording goes, beside it: "rank0017.summary" of "rank0017.json.gz". With several, `which`
/// tells them apart: "node3-rank17.summary".
std::filesystem::path summary_path(const std::filesystem::path& recording, std::string_view which = {});

}  // namespace lanescope::io
