// Finding events by their names, beside the drawing, and walking through what was found.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/links.h"
#include "ui/mark_surface.h"

namespace lanescope::ui {

struct SearchState {
  bool focus_wanted = false;  ///< the text field takes the keyboard in the next frame
  std::string text;
  std::vector<EventRef> found;    ///< in time order, at most kMostFound
  std::uint64_t total = 0;        ///< how many there are, kept or not
  std::optional<std::size_t> at;  ///< the one that is shown

  static constexpr std::size_t kMostFound = 100'000;
};

/// Lights what was found, on the lanes and as ticks on the ruler.
void add_found(const MarkSurface& surface, const SearchState& search);

}  // namespace lanescope::ui
