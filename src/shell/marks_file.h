// Marks are saved in the trace itself; for an opened file, in a second file next to it, so that the trace stays
// unchanged and the user's notes are there the next time.
#pragma once

#include <filesystem>

#include "timeline/marks.h"

namespace lanescope::ui {

struct ShellState;

/// The marks of "trace.json.gz" are in "trace.json.gz.marks.json".
std::filesystem::path marks_path(const std::filesystem::path& trace);
/// The marks next to a trace; empty without such a file. Throws base::UsageError or base::FileError.
std::optional<Marks> read_marks(const std::filesystem::path& trace);
/// Writes the file completely or not at all; without any marks the file is removed. Throws base::FileError.
void write_marks(const std::filesystem::path& trace, const Marks& marks);

/// Once per frame: clears the marks for a new run, reads those of a new file, and writes a file's changed marks.
void follow_marks(ShellState& state);

}  // namespace lanescope::ui
