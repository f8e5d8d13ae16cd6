// A trace in a file of any kind that Lanescope reads or writes.
#pragma once

#include <filesystem>
#include <vector>

#include "io/session_file.h"

namespace lanescope::io {

/// Reads a session file, a Chrome trace or a compressed one, an SQLite export of Nsight Systems or one of its reports,
/// told apart by their content. Of a folder, all traces in it become one (merge_ranks.h), without JSON files that are
/// no traces. Throws like read_chrome_trace(), read_session() and read_nsys_export().
OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                       const ReadLimits& limits = {});

/// The same of one file that is no folder, as one of several: does not say which other ranks' files are missing.
OpenedTrace read_file(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                      const ReadLimits& limits = {});

/// Several files, none of them a folder, become one (merge_ranks.h); a single one is what read_trace() gives. At least
/// one. Throws base::FileError also if one is given twice.
OpenedTrace read_traces(const std::vector<std::filesystem::path>& files, ReadProgress* progress = nullptr,
                        const ReadLimits& limits = {});

/// The traces in a folder and in those below it, at least one, sorted; told by the ends of their names. Of JAX's runs
/// only the newest. Throws base::FileError.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder);

/// Writes a session file if the name ends in ".lanescope", otherwise a Chrome trace. Throws base::FileError.
void write_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                 const trace::CaptureHealth* health = nullptr);

}  // namespace lanescope::io
