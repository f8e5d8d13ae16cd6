// The state of a search by name: runs in the background and steps through the matches.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/found_events.h"

namespace lanescope::ui {

struct SearchState : FoundEvents {
  SearchState() : FoundEvents(true) {}

  bool open = false;
  bool focus_wanted = false;  ///< the text field takes the keyboard focus in the next frame
  int field_number = 0;       ///< incremented to replace the field's text: a field in use would keep its own text
  bool field_active = false;  ///< the text field has the keyboard focus
  std::string text;
  std::optional<std::size_t> at;    ///< index of the current match
  std::optional<EventRef> shown;    ///< the current match, which stays current if others come before it
  std::optional<EventRef> hovered;  ///< in the list
  bool walk_wanted = false;         ///< go to the first match once there is one
  std::size_t top = 0;              ///< first row of the list
  bool scroll_to_shown = false;
  std::optional<std::chrono::steady_clock::time_point> pulse;  ///< when the current match began to pulse
};

inline constexpr double kPulseSeconds = 0.7;

/// The index in `found` of the next match after a time, or after the current one; wraps around. Empty if there is none.
std::optional<std::size_t> next_found(const SearchState& search, bool forward, Nanoseconds from);

}  // namespace lanescope::ui
