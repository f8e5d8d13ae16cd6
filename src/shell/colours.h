// What the colours of the timeline say: the user's choice, followed once per frame, and its legend.
#pragma once

#include <chrono>
#include <cstdint>

#include "timeline/colouring.h"

namespace lanescope::ui {

struct ShellState;

struct ColourState {
  Colouring colouring;  ///< as drawn in this frame
  bool legend_open = false;
  // When the durations were last looked at.
  std::uint64_t generation = 0;
  std::uint64_t recorded = 0;
  std::chrono::steady_clock::time_point sampled{};
};

/// The choice for what is shown: for a run that can be steered, or for a trace and another program, each with its own.
ColourBy& chosen_colours(ShellState& state);
/// Once per frame, before anything is drawn.
void update_colours(ShellState& state);
/// Chooses what the colours say, and says so.
void colour_by(ShellState& state, ColourBy by);

}  // namespace lanescope::ui
