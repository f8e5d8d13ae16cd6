// The code next to the lanes: what each statement costs, and how to get from a statement to its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lanescope::ui {

struct ShellState;

/// There is code to show, or there may be: of a trace of another program there is none.
bool has_code(const ShellState& state);
/// Once per frame: updates the costs next to the code. Its tab is left when there is none.
void update_code(ShellState& state);
/// Chooses a line of the code: outlines its ranges, and selects the costliest range and brings it into view. Choosing
/// the same line again clears the choice.
void go_to_statement(ShellState& state, std::size_t line);
/// Opens a source file of the user's program in the code view, at this line (0: none).
void open_in_code(ShellState& state, const std::string& file, std::uint32_t line);
/// Asks where a source file is that is not where the program has it.
void ask_for_source(ShellState& state);
/// The answer; it holds for all files of the same folder, and is remembered.
void source_is_at(ShellState& state, const std::filesystem::path& found);

}  // namespace lanescope::ui
