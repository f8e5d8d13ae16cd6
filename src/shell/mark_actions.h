// Rulers, bookmarks and notes: what a person does with them.
#pragma once

#include <cstdint>

namespace lanescope::ui {

struct ShellState;

/// The view that a bookmark remembers.
void go_to_bookmark(ShellState& state, std::uint32_t id);

}  // namespace lanescope::ui
