// What is on the screen, saved as an experiment of the user's own.
#pragma once

#include <filesystem>
#include <string>

namespace lanescope::ui {

struct ShellState;

/// Asks for its file. The sides are those of the running experiment or, without one or if its knobs were turned to
/// something else, the last turn of a knob.
void save_experiment(ShellState& state);
std::string no_experiment_to_save(const ShellState& state);
/// Writes it, whole or not at all, and lists it. Throws base::FileError.
void save_experiment_to(ShellState& state, const std::filesystem::path& path);

}  // namespace lanescope::ui
