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

/// Once per frame, before anything is drawn.
void update_colours(ShellState& state);
/// What the colours say: chosen for runs and for everything else apart.
ColourBy colouring_of(const ShellState& state);
void set_colouring(ShellState& state, ColourBy by);
/// Chooses what the colours say, and says so.
void colour_by(ShellState& state, ColourBy by);

}  // namespace lanescope::ui
