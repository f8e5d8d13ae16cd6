// Rulers, bookmarks and notes: the user's actions on them.
#pragma once

#include <cstdint>

namespace lanescope::ui {

struct ShellState;

/// Goes to the view that a bookmark remembers.
void go_to_bookmark(ShellState& state, std::uint32_t id);

}  // namespace lanescope::ui
