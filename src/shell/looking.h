// A program of the user's that is recorded in bursts is recorded for longer where somebody looks.
#pragma once

#include <chrono>
#include <cstdint>

namespace lanescope::ui {

struct ShellState;

struct LookingState {
  std::uint64_t generation = 0;
  std::uint64_t moves = 0;  ///< ViewControl::moves_by_hand(), as last seen
  std::chrono::steady_clock::time_point asked{};
};

/// Once per frame: while the user zooms or pans and the view reaches recent time, everything is recorded for the next
/// second; asked for once per second.
void record_where_looked(ShellState& state, std::chrono::steady_clock::time_point now);

}  // namespace lanescope::ui
