// Files other than pictures that the window writes: the trace, and tables as CSV.
#pragma once

#include <filesystem>

namespace lanescope::ui {

struct ShellState;

/// In the background and atomically; a toast says where, or why not. A session file if the name ends in ".lanescope",
/// otherwise JSON, compressed if it ends in ".gz".
void save_trace_to(ShellState& state, const std::filesystem::path& path);
/// Of the selected time range, all lanes.
void save_selection_to(ShellState& state, const std::filesystem::path& path);
/// Asks where to.
void save_statistics(ShellState& state);
void save_statistics_to(ShellState& state, const std::filesystem::path& path);
void copy_statistics(ShellState& state);

}  // namespace lanescope::ui
