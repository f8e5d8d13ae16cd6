// The bands of several GPUs, by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "inspect/event_ref.h"

namespace lanescope::ui {

struct ShellState;

/// A press on the bands that is not released yet.
struct JobPress {
  float x0 = 0, y0 = 0;
  bool on = false, moved = false;
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
/// Scrolls to the lanes of a band's GPU.
void reveal_gpu(ShellState& state, std::size_t band);

}  // namespace lanescope::ui
