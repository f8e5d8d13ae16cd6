// Reads what Nsight Systems recorded: its SQLite exports of all versions since 2021, and its own reports with the help
// of its own program.
#pragma once

#include <filesystem>

#include "io/reading.h"

namespace lanescope::io {

/// Reads an export ("nsys export --type sqlite"). `database` is the file; `source` gives the name in error messages. Of
/// the environment, the host, the user and the paths in it, nothing is read. Throws base::FileError with one line, also
/// for a database that is no export, and io::Cancelled. Never returns part of a file.
OpenedTrace read_nsys_export(const std::filesystem::path& database, ByteSource& source,
                             ReadProgress* progress = nullptr, const ReadLimits& limits = {});

}  // namespace lanescope::io
