// A and B: the two runs, the comparison view, and the ghost that was pinned together with A.
#pragma once

#include <cstdint>

#include "model/compare/compare_state.h"
#include "model/compare/compare_view.h"

namespace lanescope::ui {

struct ShellState;

struct Comparison {
  CompareState state;
  CompareView view;
  std::uint64_t ghost = 0;  ///< the ghost's number
};

/// Once per frame: takes measurements that were requested and reports the result.
void update_comparison(ShellState& state);

}  // namespace lanescope::ui
