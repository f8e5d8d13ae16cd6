// A trace in a file of any kind that Lanescope reads or writes. The session file has a header of its own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/reading.h"
#include "io/session_file.h"

namespace lanescope::io {

// --- chrome trace ----------------------------------------------------------------------------------------------------
// Reads and writes a trace as Chrome Trace Event JSON, with the categories and argument names of the PyTorch profiler,
// so that Perfetto, chrome://tracing and Holistic Trace Analysis can open it.

/// Writes to a temporary file beside `path`, then renames it. Compresses if the name ends in ".gz". Throws
/// base::FileError. Writes what has been published; the trace may grow meanwhile.
void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts);

/// Reads a .json or .json.gz, which are distinguished by content. Throws base::FileError with the path and the reason,
/// NotATrace without "traceEvents". Never crashes on a truncated or hostile file, and never returns part of one.
/// Updates `progress`, and throws io::Cancelled if it requests a stop.
OpenedTrace read_chrome_trace(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});
OpenedTrace read_chrome_trace(ByteSource& source, ReadProgress* progress = nullptr, const ReadLimits& limits = {});
/// The same for a file's bytes in memory; `name` replaces the path in messages.
OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});

// --- nsys read -------------------------------------------------------------------------------------------------------
// Reads what Nsight Systems recorded: its SQLite exports of all versions since 2021, and its own reports with the help
// of its own program.

/// Reads an export ("nsys export --type sqlite"). `database` is the file; `source` gives the name in error messages. Of
/// the environment, the host, the user and the paths in it, nothing is read. Throws base::FileError with one line, also
/// for a database that is no export, and io::Cancelled. Never returns part of a file.
OpenedTrace read_nsys_export(const std::filesystem::path& database, ByteSource& source,
                             ReadProgress* progress = nullptr, const ReadLimits& limits = {});

// --- nsys report file ------------------------------------------------------------------------------------------------
// Nsight Systems' own reports (.nsys-rep). Only its own program can read them: where that is installed, it makes an
// export, which is then read.

/// The beginning of a file says that it is one.
bool is_nsys_report(std::string_view beginning);
/// The version that wrote it, "2024.5.1"; empty if the beginning does not say.
std::string nsys_report_version(std::string_view beginning);

/// Throws base::FileError, with the command to type if there is no nsys here, and otherwise like read_nsys_export().
OpenedTrace read_nsys_report(ByteSource& source, ReadProgress* progress = nullptr, const ReadLimits& limits = {});

// --- trace file ------------------------------------------------------------------------------------------------------
// A trace in a file of any kind that Lanescope reads or writes.

/// Reads a session file, a Chrome trace or a compressed one, an SQLite export of Nsight Systems or one of its reports,
/// told apart by their content. Of a folder, all traces in it become one (job_of_ranks.h), without JSON files that are
/// no traces. Throws like read_chrome_trace(), read_session() and read_nsys_export().
OpenedTrace read_trace(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                       const ReadLimits& limits = {});

/// The same of one file that is no folder, as one of several: does not say which other ranks' files are missing.
OpenedTrace read_file(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                      const ReadLimits& limits = {});

/// Several files, none of them a folder, become one (job_of_ranks.h); a single one is what read_trace() gives. At least
/// one. Throws base::FileError also if one is given twice.
OpenedTrace read_traces(const std::vector<std::filesystem::path>& files, ReadProgress* progress = nullptr,
                        const ReadLimits& limits = {});

/// The traces in a folder and in those below it, at least one, sorted; told by the ends of their names. Of JAX's runs
/// only the newest. Throws base::FileError.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder);
/// The same, but as many as there are.
std::vector<std::filesystem::path> all_traces_in(const std::filesystem::path& folder);

/// Writes a session file if the name ends in ".lanescope", otherwise a Chrome trace. Throws base::FileError.
void write_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts,
                 const trace::CaptureHealth* health = nullptr);

}  // namespace lanescope::io
