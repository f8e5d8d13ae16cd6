// Finding events by their names, beside the drawing, and walking through what was found.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ui/find/found_events.h"
#include "ui/mark_surface.h"

namespace lanescope::ui {

struct SearchState : FoundEvents {
  SearchState() : FoundEvents(true) {}

  bool open = false;
  bool focus_wanted = false;  ///< the text field takes the keyboard in the next frame
  int field_number = 0;       ///< another text put into the field makes it another field: a used one keeps its own
  bool field_active = false;  ///< the text field has the keyboard
  std::string text;
  std::optional<std::size_t> at;    ///< the one that is shown
  std::optional<EventRef> shown;    ///< the same, which keeps its place when others come before it
  std::optional<EventRef> hovered;  ///< in the list
  bool walk_wanted = false;         ///< to the first one, once there is one
  std::size_t top = 0;              ///< of the list
  bool scroll_to_shown = false;
  std::optional<std::chrono::steady_clock::time_point> pulse;  ///< since when the one that is shown pulses
};

inline constexpr double kPulseSeconds = 0.7;

/// Lights what was found, on the lanes and as ticks on the ruler. Its cost depends on the pixels.
void add_found(const MarkSurface& surface, const SearchState& search);
/// Lights one event, which the mouse points at in a list.
void add_pointed(const MarkSurface& surface, const EventRef& event);
/// Where on an axis something was found, at most one every `apart` pixels, from the left: for the ruler and the strip
/// of the whole run.
std::vector<float> found_ticks(const SearchState& search, const TimeAxis& axis, float apart = 2);
/// The place in `found` to go to next from an instant or from the one that is shown; wraps around. Empty without any.
std::optional<std::size_t> next_found(const SearchState& search, bool forward, Nanoseconds from);

}  // namespace lanescope::ui
