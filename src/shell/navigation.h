// Navigation: what it keeps between frames.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "timeline/minimap_bins.h"
#include "timeline/timeline.h"
#include "timeline/timeline_drag.h"

namespace lanescope::ui {

struct ShellState;

/// The field in which a time or an iteration is typed.
struct GoToState {
  std::string text;
  bool enter = false;  ///< was pressed since the last frame
};

/// A mouse drag on the overview strip of the whole run.
struct MinimapDrag {
  enum class Kind : std::uint8_t { None, Window, LeftEdge, RightEdge, Outside };
  Kind kind = Kind::None;
  bool moved = false;
  float x0 = 0;  ///< where the drag began
  double grab_ns =
      0;  ///< Window: of the view's middle from the pointer; the edges: the other edge, from the run's begin
};

/// A fading line at the place that the view has jumped to.
struct ArrivalFlash {
  static constexpr std::chrono::milliseconds kLasts{1400};

  base::Nanoseconds at = 0;
  std::chrono::steady_clock::time_point until{};
};

struct NavigationState {
  TimelineDrag drag;
  WheelGesture wheel;
  std::array<LaneScroll, kPanes> scroll;
  GoToState go_to;
  MinimapBins whole_run;
  std::uint64_t whole_run_generation = 0;
  MinimapDrag minimap;
  std::optional<ArrivalFlash> arrival;

  /// Whether anything drawn in the timeline is moving.
  bool moving() const { return scroll[0].target || scroll[1].target || arrival; }
};

/// Draws a fading line at this instant, to show the arrival.
void flash_arrival(ShellState& state, base::Nanoseconds at);

}  // namespace lanescope::ui
