// Reads what Nsight Systems recorded: its SQLite exports of all versions since 2021, and its own reports with the help
// of its own program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/reading.h"

namespace lanescope::io {

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

}  // namespace lanescope::io
