// A and B: the two runs, the view of both, and the ghost that was pinned together with A.
#pragma once

#include <cstdint>

#include "model/compare_state.h"
#include "model/compare_view.h"

namespace lanescope::ui {

struct ShellState;

struct Comparison {
  CompareState state;
  CompareView view;
  std::uint64_t ghost = 0;  ///< its number
};

/// Once per frame: what was asked for is measured, and what came of it is said.
void update_comparison(ShellState& state);

}  // namespace lanescope::ui
