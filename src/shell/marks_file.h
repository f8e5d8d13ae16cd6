// Marks of a run: in the saved trace itself, and of an opened file also beside it, so that reading a trace leaves it as
// it was and what a person noted is there the next time.
#pragma once

#include <filesystem>

#include "timeline/marks.h"

namespace lanescope::ui {

struct ShellState;

/// "trace.json.gz" has its marks in "trace.json.gz.marks.json".
std::filesystem::path marks_path(const std::filesystem::path& trace);
/// What lies beside a trace; none without such a file. Throws base::UsageError or base::FileError.
std::optional<Marks> read_marks(const std::filesystem::path& trace);
/// Writes them whole or not at all; without any marks the file goes. Throws base::FileError.
void write_marks(const std::filesystem::path& trace, const Marks& marks);

/// Once per frame: another run begins without marks, a file with its own; what changed of a file's is written.
void follow_marks(ShellState& state);

}  // namespace lanescope::ui
