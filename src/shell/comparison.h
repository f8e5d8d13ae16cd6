// A and B: the two runs, the comparison view, and the ghost that was pinned together with A.
#pragma once

#include <cstdint>

#include "model/compare/compare_state.h"
#include "model/compare/compare_view.h"
#include "model/compare/other_side.h"
#include "timeline/ghost_lanes.h"

namespace lanescope::ui {

struct ShellState;

struct Comparison {
  CompareState state;
  CompareView view;
  std::uint64_t ghost = 0;  ///< the ghost's number
  OtherSide other;          ///< what the lanes compare with, drawn below them
  GhostLanes lanes;
};

/// What is drawn below the lanes; null: nothing, or it is not measured yet.
inline SharedSnapshot run_below(const Comparison& comparison) { return comparison.other.run(); }
/// Once per frame: takes measurements that were requested and reports the result.
void update_comparison(ShellState& state);

}  // namespace lanescope::ui
