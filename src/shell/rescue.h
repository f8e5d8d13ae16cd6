// Keeps a run whose window cannot go on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lanescope::ui {

struct ShellState;

/// The folder "rescued" in state_folder().
std::filesystem::path rescue_folder();
/// Writes what a run has recorded so far into a session file in that folder, where the next start finds it; of a
/// simulated one, which can be made again, nothing. Returns the
/// sentence for the terminal: `why`, and where the run is, or why it is not. Needs neither display nor OpenGL.
std::string rescue_run(const ShellState& state, const std::string& why);
/// The newest that has not been offered yet; only a few are kept.
std::optional<std::filesystem::path> take_rescued_run(const std::filesystem::path& folder);

}  // namespace lanescope::ui
