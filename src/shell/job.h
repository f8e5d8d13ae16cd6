// The bands of several GPUs and the table of ranks, by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "inspect/event_ref.h"
#include "inspect/rank_table.h"
#include "trace/owners.h"

namespace lanescope::ui {

struct ShellState;

/// A press on the bands that is not released yet.
struct JobPress {
  float x0 = 0, y0 = 0;
  bool on = false, moved = false;
};

/// The table of ranks.
struct RankView {
  RankOrder order;
  std::size_t top = 0;  ///< the first line that is visible
};

/// What the mouse points at.
struct JobHover {
  std::optional<std::size_t> collective;
  std::uint64_t found = 0;  ///< JobState::found()
  std::string why;
};

/// analysis::lateness_text() of a collective; looked up once while the mouse stays there.
const std::string& why_late(ShellState& state, std::size_t collective);
/// Selects the collective, and what made its last GPU late: the longest kernel or copy of those that differ, or the
/// GPU's idle time.
void go_to_late(ShellState& state, std::size_t collective);
/// Scrolls to its lanes.
void reveal_gpu(ShellState& state, trace::GpuNumber gpu);

}  // namespace lanescope::ui
